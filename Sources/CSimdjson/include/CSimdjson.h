#ifndef CSIMDJSON_H
#define CSIMDJSON_H
#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
