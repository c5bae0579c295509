// The files of the map page as bytes of the program, so that it needs nothing beside itself.
//
// The compiler knows the files as inputs: when one changes, this is built anew. A test holds this list against the
// folder, so that none is forgotten.

#include "CPageFiles.h"

#if !__has_embed("/usr/share/javascript/leaflet/leaflet.esm.min.js")
#error "Leaflet is missing: install the Debian package libjs-leaflet, as `make packages` does."
#endif

// #embed is of C23; the package's other C is older.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../../FencepostPage/Web/index.html"
};
static const unsigned char apps_app_card_js[] = {
#embed "../../FencepostPage/Web/apps/app-card.js"
};
static const unsigned char apps_app_form_js[] = {
#embed "../../FencepostPage/Web/apps/app-form.js"
};
static const unsigned char apps_decision_js[] = {
#embed "../../FencepostPage/Web/apps/decision.js"
};
static const unsigned char apps_panel_js[] = {
#embed "../../FencepostPage/Web/apps/panel.js"
};
static const unsigned char apps_rules_js[] = {
#embed "../../FencepostPage/Web/apps/rules.js"
};
static const unsigned char apps_words_js[] = {
#embed "../../FencepostPage/Web/apps/words.js"
};
static const unsigned char base_world_bin[] = {
#embed "../../FencepostPage/Web/base/world.bin"
};
static const unsigned char core_api_js[] = {
#embed "../../FencepostPage/Web/core/api.js"
};
static const unsigned char core_dom_js[] = {
#embed "../../FencepostPage/Web/core/dom.js"
};
static const unsigned char core_geo_js[] = {
#embed "../../FencepostPage/Web/core/geo.js"
};
static const unsigned char core_hash_js[] = {
#embed "../../FencepostPage/Web/core/hash.js"
};
static const unsigned char core_nearest_js[] = {
#embed "../../FencepostPage/Web/core/nearest.js"
};
static const unsigned char core_observable_js[] = {
#embed "../../FencepostPage/Web/core/observable.js"
};
static const unsigned char core_session_js[] = {
#embed "../../FencepostPage/Web/core/session.js"
};
static const unsigned char core_stream_js[] = {
#embed "../../FencepostPage/Web/core/stream.js"
};
static const unsigned char core_theme_js[] = {
#embed "../../FencepostPage/Web/core/theme.js"
};
static const unsigned char core_time_js[] = {
#embed "../../FencepostPage/Web/core/time.js"
};
static const unsigned char core_words_js[] = {
#embed "../../FencepostPage/Web/core/words.js"
};
static const unsigned char drawing_lanes_css[] = {
#embed "../../FencepostPage/Web/drawing/lanes.css"
};
static const unsigned char drawing_outcome_js[] = {
#embed "../../FencepostPage/Web/drawing/outcome.js"
};
static const unsigned char drawing_outcomes_svg[] = {
#embed "../../FencepostPage/Web/drawing/outcomes.svg"
};
static const unsigned char drawing_together_js[] = {
#embed "../../FencepostPage/Web/drawing/together.js"
};
static const unsigned char drawing_tones_css[] = {
#embed "../../FencepostPage/Web/drawing/tones.css"
};
static const unsigned char drawing_why_js[] = {
#embed "../../FencepostPage/Web/drawing/why.js"
};
static const unsigned char history_day_js[] = {
#embed "../../FencepostPage/Web/history/day.js"
};
static const unsigned char history_dock_js[] = {
#embed "../../FencepostPage/Web/history/dock.js"
};
static const unsigned char history_panel_js[] = {
#embed "../../FencepostPage/Web/history/panel.js"
};
static const unsigned char history_playback_js[] = {
#embed "../../FencepostPage/Web/history/playback.js"
};
static const unsigned char history_player_js[] = {
#embed "../../FencepostPage/Web/history/player.js"
};
static const unsigned char history_timeline_js[] = {
#embed "../../FencepostPage/Web/history/timeline.js"
};
static const unsigned char history_track_layer_js[] = {
#embed "../../FencepostPage/Web/history/track-layer.js"
};
static const unsigned char live_device_card_js[] = {
#embed "../../FencepostPage/Web/live/device-card.js"
};
static const unsigned char live_device_list_js[] = {
#embed "../../FencepostPage/Web/live/device-list.js"
};
static const unsigned char live_event_card_js[] = {
#embed "../../FencepostPage/Web/live/event-card.js"
};
static const unsigned char live_event_feed_js[] = {
#embed "../../FencepostPage/Web/live/event-feed.js"
};
static const unsigned char live_filters_js[] = {
#embed "../../FencepostPage/Web/live/filters.js"
};
static const unsigned char live_marks_js[] = {
#embed "../../FencepostPage/Web/live/marks.js"
};
static const unsigned char live_panel_js[] = {
#embed "../../FencepostPage/Web/live/panel.js"
};
static const unsigned char live_test_app_js[] = {
#embed "../../FencepostPage/Web/live/test-app.js"
};
static const unsigned char live_walk_tool_js[] = {
#embed "../../FencepostPage/Web/live/walk-tool.js"
};
static const unsigned char live_walk_js[] = {
#embed "../../FencepostPage/Web/live/walk.js"
};
static const unsigned char map_basemap_js[] = {
#embed "../../FencepostPage/Web/map/basemap.js"
};
static const unsigned char map_canvas_layer_js[] = {
#embed "../../FencepostPage/Web/map/canvas-layer.js"
};
static const unsigned char map_clip_js[] = {
#embed "../../FencepostPage/Web/map/clip.js"
};
static const unsigned char map_device_layer_js[] = {
#embed "../../FencepostPage/Web/map/device-layer.js"
};
static const unsigned char map_labels_js[] = {
#embed "../../FencepostPage/Web/map/labels.js"
};
static const unsigned char map_map_js[] = {
#embed "../../FencepostPage/Web/map/map.js"
};
static const unsigned char map_region_layer_js[] = {
#embed "../../FencepostPage/Web/map/region-layer.js"
};
static const unsigned char map_scene_js[] = {
#embed "../../FencepostPage/Web/map/scene.js"
};
static const unsigned char map_why_layer_js[] = {
#embed "../../FencepostPage/Web/map/why-layer.js"
};
static const unsigned char map_world_js[] = {
#embed "../../FencepostPage/Web/map/world.js"
};
static const unsigned char regions_draft_js[] = {
#embed "../../FencepostPage/Web/regions/draft.js"
};
static const unsigned char regions_editor_js[] = {
#embed "../../FencepostPage/Web/regions/editor.js"
};
static const unsigned char regions_exchange_js[] = {
#embed "../../FencepostPage/Web/regions/exchange.js"
};
static const unsigned char regions_fields_js[] = {
#embed "../../FencepostPage/Web/regions/fields.js"
};
static const unsigned char regions_handles_js[] = {
#embed "../../FencepostPage/Web/regions/handles.js"
};
static const unsigned char regions_panel_js[] = {
#embed "../../FencepostPage/Web/regions/panel.js"
};
static const unsigned char regions_property_form_js[] = {
#embed "../../FencepostPage/Web/regions/property-form.js"
};
static const unsigned char regions_region_card_js[] = {
#embed "../../FencepostPage/Web/regions/region-card.js"
};
static const unsigned char regions_region_list_js[] = {
#embed "../../FencepostPage/Web/regions/region-list.js"
};
static const unsigned char regions_saving_js[] = {
#embed "../../FencepostPage/Web/regions/saving.js"
};
static const unsigned char regions_schedule_field_js[] = {
#embed "../../FencepostPage/Web/regions/schedule-field.js"
};
static const unsigned char regions_vertex_table_js[] = {
#embed "../../FencepostPage/Web/regions/vertex-table.js"
};
static const unsigned char shell_gate_js[] = {
#embed "../../FencepostPage/Web/shell/gate.js"
};
static const unsigned char shell_main_js[] = {
#embed "../../FencepostPage/Web/shell/main.js"
};
static const unsigned char shell_sheet_js[] = {
#embed "../../FencepostPage/Web/shell/sheet.js"
};
static const unsigned char shell_status_js[] = {
#embed "../../FencepostPage/Web/shell/status.js"
};
static const unsigned char shell_tabs_js[] = {
#embed "../../FencepostPage/Web/shell/tabs.js"
};
static const unsigned char shell_toasts_js[] = {
#embed "../../FencepostPage/Web/shell/toasts.js"
};
static const unsigned char shell_tools_js[] = {
#embed "../../FencepostPage/Web/shell/tools.js"
};
static const unsigned char state_event_log_js[] = {
#embed "../../FencepostPage/Web/state/event-log.js"
};
static const unsigned char state_fleet_js[] = {
#embed "../../FencepostPage/Web/state/fleet.js"
};
static const unsigned char state_follower_js[] = {
#embed "../../FencepostPage/Web/state/follower.js"
};
static const unsigned char state_latest_js[] = {
#embed "../../FencepostPage/Web/state/latest.js"
};
static const unsigned char state_region_book_js[] = {
#embed "../../FencepostPage/Web/state/region-book.js"
};
static const unsigned char style_components_css[] = {
#embed "../../FencepostPage/Web/style/components.css"
};
static const unsigned char style_history_css[] = {
#embed "../../FencepostPage/Web/style/history.css"
};
static const unsigned char style_hooks_css[] = {
#embed "../../FencepostPage/Web/style/hooks.css"
};
static const unsigned char style_layout_css[] = {
#embed "../../FencepostPage/Web/style/layout.css"
};
static const unsigned char style_map_css[] = {
#embed "../../FencepostPage/Web/style/map.css"
};
static const unsigned char style_mark_svg[] = {
#embed "../../FencepostPage/Web/style/mark.svg"
};
static const unsigned char style_tokens_css[] = {
#embed "../../FencepostPage/Web/style/tokens.css"
};
static const unsigned char webhooks_deliveries_js[] = {
#embed "../../FencepostPage/Web/webhooks/deliveries.js"
};
static const unsigned char webhooks_delivery_js[] = {
#embed "../../FencepostPage/Web/webhooks/delivery.js"
};
static const unsigned char webhooks_endpoint_card_js[] = {
#embed "../../FencepostPage/Web/webhooks/endpoint-card.js"
};
static const unsigned char webhooks_endpoint_form_js[] = {
#embed "../../FencepostPage/Web/webhooks/endpoint-form.js"
};
static const unsigned char webhooks_panel_js[] = {
#embed "../../FencepostPage/Web/webhooks/panel.js"
};
static const unsigned char webhooks_secret_js[] = {
#embed "../../FencepostPage/Web/webhooks/secret.js"
};
static const unsigned char leaflet_leaflet_css[] = {
#embed "/usr/share/javascript/leaflet/leaflet.css"
};
static const unsigned char leaflet_leaflet_js[] = {
#embed "/usr/share/javascript/leaflet/leaflet.esm.min.js"
};

#define PAGE_FILE(path, bytes) {path, bytes, sizeof bytes}

static const fencepost_page_file files[] = {
    PAGE_FILE("index.html", index_html),
    PAGE_FILE("apps/app-card.js", apps_app_card_js),
    PAGE_FILE("apps/app-form.js", apps_app_form_js),
    PAGE_FILE("apps/decision.js", apps_decision_js),
    PAGE_FILE("apps/panel.js", apps_panel_js),
    PAGE_FILE("apps/rules.js", apps_rules_js),
    PAGE_FILE("apps/words.js", apps_words_js),
    PAGE_FILE("base/world.bin", base_world_bin),
    PAGE_FILE("core/api.js", core_api_js),
    PAGE_FILE("core/dom.js", core_dom_js),
    PAGE_FILE("core/geo.js", core_geo_js),
    PAGE_FILE("core/hash.js", core_hash_js),
    PAGE_FILE("core/nearest.js", core_nearest_js),
    PAGE_FILE("core/observable.js", core_observable_js),
    PAGE_FILE("core/session.js", core_session_js),
    PAGE_FILE("core/stream.js", core_stream_js),
    PAGE_FILE("core/theme.js", core_theme_js),
    PAGE_FILE("core/time.js", core_time_js),
    PAGE_FILE("core/words.js", core_words_js),
    PAGE_FILE("drawing/lanes.css", drawing_lanes_css),
    PAGE_FILE("drawing/outcome.js", drawing_outcome_js),
    PAGE_FILE("drawing/outcomes.svg", drawing_outcomes_svg),
    PAGE_FILE("drawing/together.js", drawing_together_js),
    PAGE_FILE("drawing/tones.css", drawing_tones_css),
    PAGE_FILE("drawing/why.js", drawing_why_js),
    PAGE_FILE("history/day.js", history_day_js),
    PAGE_FILE("history/dock.js", history_dock_js),
    PAGE_FILE("history/panel.js", history_panel_js),
    PAGE_FILE("history/playback.js", history_playback_js),
    PAGE_FILE("history/player.js", history_player_js),
    PAGE_FILE("history/timeline.js", history_timeline_js),
    PAGE_FILE("history/track-layer.js", history_track_layer_js),
    PAGE_FILE("live/device-card.js", live_device_card_js),
    PAGE_FILE("live/device-list.js", live_device_list_js),
    PAGE_FILE("live/event-card.js", live_event_card_js),
    PAGE_FILE("live/event-feed.js", live_event_feed_js),
    PAGE_FILE("live/filters.js", live_filters_js),
    PAGE_FILE("live/marks.js", live_marks_js),
    PAGE_FILE("live/panel.js", live_panel_js),
    PAGE_FILE("live/test-app.js", live_test_app_js),
    PAGE_FILE("live/walk-tool.js", live_walk_tool_js),
    PAGE_FILE("live/walk.js", live_walk_js),
    PAGE_FILE("map/basemap.js", map_basemap_js),
    PAGE_FILE("map/canvas-layer.js", map_canvas_layer_js),
    PAGE_FILE("map/clip.js", map_clip_js),
    PAGE_FILE("map/device-layer.js", map_device_layer_js),
    PAGE_FILE("map/labels.js", map_labels_js),
    PAGE_FILE("map/map.js", map_map_js),
    PAGE_FILE("map/region-layer.js", map_region_layer_js),
    PAGE_FILE("map/scene.js", map_scene_js),
    PAGE_FILE("map/why-layer.js", map_why_layer_js),
    PAGE_FILE("map/world.js", map_world_js),
    PAGE_FILE("regions/draft.js", regions_draft_js),
    PAGE_FILE("regions/editor.js", regions_editor_js),
    PAGE_FILE("regions/exchange.js", regions_exchange_js),
    PAGE_FILE("regions/fields.js", regions_fields_js),
    PAGE_FILE("regions/handles.js", regions_handles_js),
    PAGE_FILE("regions/panel.js", regions_panel_js),
    PAGE_FILE("regions/property-form.js", regions_property_form_js),
    PAGE_FILE("regions/region-card.js", regions_region_card_js),
    PAGE_FILE("regions/region-list.js", regions_region_list_js),
    PAGE_FILE("regions/saving.js", regions_saving_js),
    PAGE_FILE("regions/schedule-field.js", regions_schedule_field_js),
    PAGE_FILE("regions/vertex-table.js", regions_vertex_table_js),
    PAGE_FILE("shell/gate.js", shell_gate_js),
    PAGE_FILE("shell/main.js", shell_main_js),
    PAGE_FILE("shell/sheet.js", shell_sheet_js),
    PAGE_FILE("shell/status.js", shell_status_js),
    PAGE_FILE("shell/tabs.js", shell_tabs_js),
    PAGE_FILE("shell/toasts.js", shell_toasts_js),
    PAGE_FILE("shell/tools.js", shell_tools_js),
    PAGE_FILE("state/event-log.js", state_event_log_js),
    PAGE_FILE("state/fleet.js", state_fleet_js),
    PAGE_FILE("state/follower.js", state_follower_js),
    PAGE_FILE("state/latest.js", state_latest_js),
    PAGE_FILE("state/region-book.js", state_region_book_js),
    PAGE_FILE("style/components.css", style_components_css),
    PAGE_FILE("style/history.css", style_history_css),
    PAGE_FILE("style/hooks.css", style_hooks_css),
    PAGE_FILE("style/layout.css", style_layout_css),
    PAGE_FILE("style/map.css", style_map_css),
    PAGE_FILE("style/mark.svg", style_mark_svg),
    PAGE_FILE("style/tokens.css", style_tokens_css),
    PAGE_FILE("webhooks/deliveries.js", webhooks_deliveries_js),
    PAGE_FILE("webhooks/delivery.js", webhooks_delivery_js),
    PAGE_FILE("webhooks/endpoint-card.js", webhooks_endpoint_card_js),
    PAGE_FILE("webhooks/endpoint-form.js", webhooks_endpoint_form_js),
    PAGE_FILE("webhooks/panel.js", webhooks_panel_js),
    PAGE_FILE("webhooks/secret.js", webhooks_secret_js),
    PAGE_FILE("leaflet/leaflet.css", leaflet_leaflet_css),
    PAGE_FILE("leaflet/leaflet.js", leaflet_leaflet_js),
};

const fencepost_page_file *_Nullable fencepost_page_file_at(size_t place) {
    return place < sizeof files / sizeof files[0] ? &files[place] : NULL;
}
