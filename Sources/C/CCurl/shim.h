// The functions of libcurl with a variable number of arguments, which Swift cannot call, with a fixed one.
#include <curl/curl.h>

static inline CURLcode fencepost_curl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}

static inline CURLcode fencepost_curl_set_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number);
}

static inline CURLcode fencepost_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(handle, option, list);
}

static inline CURLcode fencepost_curl_set_body(CURL *handle, curl_mime *body) {
    return curl_easy_setopt(handle, CURLOPT_MIMEPOST, body);
}

static inline CURLcode fencepost_curl_set_bytes(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, count ? bytes : "");
    return code;
}

static inline CURLcode fencepost_curl_set_buffer(CURL *handle, CURLoption option, void *buffer) {
    return curl_easy_setopt(handle, option, buffer);
}

static inline CURLcode fencepost_curl_set_progress(CURL *handle, curl_xferinfo_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    return code;
}

// Both functions get the same context.
static inline CURLcode fencepost_curl_set_receivers(
    CURL *handle, curl_write_callback header, curl_write_callback body, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return code;
}

static inline long fencepost_curl_response_code(CURL *handle) {
    long code = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

// Microseconds from the start of the transfer to the end of a step; 0 when it has not ended.
static inline long long fencepost_curl_time(CURL *handle, CURLINFO step) {
    curl_off_t time = 0;
    curl_easy_getinfo(handle, step, &time);
    return time;
}

static inline CURLMcode fencepost_curl_multi_set_number(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number);
}
