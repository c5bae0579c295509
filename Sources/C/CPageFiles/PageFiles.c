// The files of the map page, embedded in the program, so that it runs without further files.
//
// The compiler tracks the files as inputs: a changed file recompiles this one. The script
// Tests/Lint/page_files.py writes the two generated parts; the lint compares them with the folder.

#include "CPageFiles.h"

#if !__has_embed("/usr/share/javascript/leaflet/leaflet.esm.min.js")
#error "Leaflet is missing: install the Debian package libjs-leaflet, as `make packages` does."
#endif

#if !__has_embed("/usr/share/javascript/qrcode-generator/qrcode.js")
#error "The generator of QR codes is missing: install the Debian package node-qrcode-generator, as `make packages` does."
#endif

// #embed is part of C23; the package's other C files use an older standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Generated (arrays) by python3 Tests/Lint/page_files.py --write
static const unsigned char index_html[] = {
#embed "../../FencepostPage/Web/index.html"
};
static const unsigned char share_html[] = {
#embed "../../FencepostPage/Web/share.html"
};
static const unsigned char access_account_js[] = {
#embed "../../FencepostPage/Web/access/account.js"
};
static const unsigned char access_cluster_js[] = {
#embed "../../FencepostPage/Web/access/cluster.js"
};
static const unsigned char access_form_js[] = {
#embed "../../FencepostPage/Web/access/form.js"
};
static const unsigned char access_networks_js[] = {
#embed "../../FencepostPage/Web/access/networks.js"
};
static const unsigned char access_panel_js[] = {
#embed "../../FencepostPage/Web/access/panel.js"
};
static const unsigned char access_shares_js[] = {
#embed "../../FencepostPage/Web/access/shares.js"
};
static const unsigned char access_tokens_js[] = {
#embed "../../FencepostPage/Web/access/tokens.js"
};
static const unsigned char access_users_js[] = {
#embed "../../FencepostPage/Web/access/users.js"
};
static const unsigned char alerts_pair_words_js[] = {
#embed "../../FencepostPage/Web/alerts/pair-words.js"
};
static const unsigned char alerts_pairs_js[] = {
#embed "../../FencepostPage/Web/alerts/pairs.js"
};
static const unsigned char alerts_panel_js[] = {
#embed "../../FencepostPage/Web/alerts/panel.js"
};
static const unsigned char alerts_rule_card_js[] = {
#embed "../../FencepostPage/Web/alerts/rule-card.js"
};
static const unsigned char alerts_rule_form_js[] = {
#embed "../../FencepostPage/Web/alerts/rule-form.js"
};
static const unsigned char alerts_rule_words_js[] = {
#embed "../../FencepostPage/Web/alerts/rule-words.js"
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
static const unsigned char apps_labels_js[] = {
#embed "../../FencepostPage/Web/apps/labels.js"
};
static const unsigned char apps_panel_js[] = {
#embed "../../FencepostPage/Web/apps/panel.js"
};
static const unsigned char apps_rules_js[] = {
#embed "../../FencepostPage/Web/apps/rules.js"
};
static const unsigned char apps_use_js[] = {
#embed "../../FencepostPage/Web/apps/use.js"
};
static const unsigned char base_world_bin[] = {
#embed "../../FencepostPage/Web/base/world.bin"
};
static const unsigned char core_api_js[] = {
#embed "../../FencepostPage/Web/core/api.js"
};
static const unsigned char core_coordinates_js[] = {
#embed "../../FencepostPage/Web/core/coordinates.js"
};
static const unsigned char core_dom_js[] = {
#embed "../../FencepostPage/Web/core/dom.js"
};
static const unsigned char core_download_js[] = {
#embed "../../FencepostPage/Web/core/download.js"
};
static const unsigned char core_event_types_js[] = {
#embed "../../FencepostPage/Web/core/event-types.js"
};
static const unsigned char core_format_js[] = {
#embed "../../FencepostPage/Web/core/format.js"
};
static const unsigned char core_fragment_js[] = {
#embed "../../FencepostPage/Web/core/fragment.js"
};
static const unsigned char core_geo_js[] = {
#embed "../../FencepostPage/Web/core/geo.js"
};
static const unsigned char core_geocoder_js[] = {
#embed "../../FencepostPage/Web/core/geocoder.js"
};
static const unsigned char core_groups_js[] = {
#embed "../../FencepostPage/Web/core/groups.js"
};
static const unsigned char core_label_js[] = {
#embed "../../FencepostPage/Web/core/label.js"
};
static const unsigned char core_natural_order_js[] = {
#embed "../../FencepostPage/Web/core/natural-order.js"
};
static const unsigned char core_nearest_point_js[] = {
#embed "../../FencepostPage/Web/core/nearest-point.js"
};
static const unsigned char core_observable_js[] = {
#embed "../../FencepostPage/Web/core/observable.js"
};
static const unsigned char core_patterns_js[] = {
#embed "../../FencepostPage/Web/core/patterns.js"
};
static const unsigned char core_pointer_js[] = {
#embed "../../FencepostPage/Web/core/pointer.js"
};
static const unsigned char core_profiles_js[] = {
#embed "../../FencepostPage/Web/core/profiles.js"
};
static const unsigned char core_provider_js[] = {
#embed "../../FencepostPage/Web/core/provider.js"
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
static const unsigned char core_units_js[] = {
#embed "../../FencepostPage/Web/core/units.js"
};
static const unsigned char core_zone_js[] = {
#embed "../../FencepostPage/Web/core/zone.js"
};
static const unsigned char drawing_explanation_js[] = {
#embed "../../FencepostPage/Web/drawing/explanation.js"
};
static const unsigned char drawing_lanes_css[] = {
#embed "../../FencepostPage/Web/drawing/lanes.css"
};
static const unsigned char drawing_linked_highlight_js[] = {
#embed "../../FencepostPage/Web/drawing/linked-highlight.js"
};
static const unsigned char drawing_outcome_icon_js[] = {
#embed "../../FencepostPage/Web/drawing/outcome-icon.js"
};
static const unsigned char drawing_outcomes_svg[] = {
#embed "../../FencepostPage/Web/drawing/outcomes.svg"
};
static const unsigned char drawing_state_colors_css[] = {
#embed "../../FencepostPage/Web/drawing/state-colors.css"
};
static const unsigned char english_access_js[] = {
#embed "../../FencepostPage/Web/english/access.js"
};
static const unsigned char english_alerts_js[] = {
#embed "../../FencepostPage/Web/english/alerts.js"
};
static const unsigned char english_apps_js[] = {
#embed "../../FencepostPage/Web/english/apps.js"
};
static const unsigned char english_common_js[] = {
#embed "../../FencepostPage/Web/english/common.js"
};
static const unsigned char english_drawing_js[] = {
#embed "../../FencepostPage/Web/english/drawing.js"
};
static const unsigned char english_history_js[] = {
#embed "../../FencepostPage/Web/english/history.js"
};
static const unsigned char english_imports_js[] = {
#embed "../../FencepostPage/Web/english/imports.js"
};
static const unsigned char english_live_js[] = {
#embed "../../FencepostPage/Web/english/live.js"
};
static const unsigned char english_map_js[] = {
#embed "../../FencepostPage/Web/english/map.js"
};
static const unsigned char english_mqtt_js[] = {
#embed "../../FencepostPage/Web/english/mqtt.js"
};
static const unsigned char english_phones_js[] = {
#embed "../../FencepostPage/Web/english/phones.js"
};
static const unsigned char english_pick_js[] = {
#embed "../../FencepostPage/Web/english/pick.js"
};
static const unsigned char english_plans_js[] = {
#embed "../../FencepostPage/Web/english/plans.js"
};
static const unsigned char english_presences_js[] = {
#embed "../../FencepostPage/Web/english/presences.js"
};
static const unsigned char english_regions_js[] = {
#embed "../../FencepostPage/Web/english/regions.js"
};
static const unsigned char english_reports_js[] = {
#embed "../../FencepostPage/Web/english/reports.js"
};
static const unsigned char english_share_js[] = {
#embed "../../FencepostPage/Web/english/share.js"
};
static const unsigned char english_shell_js[] = {
#embed "../../FencepostPage/Web/english/shell.js"
};
static const unsigned char english_texts_js[] = {
#embed "../../FencepostPage/Web/english/texts.js"
};
static const unsigned char english_webhooks_js[] = {
#embed "../../FencepostPage/Web/english/webhooks.js"
};
static const unsigned char english_why_rules_js[] = {
#embed "../../FencepostPage/Web/english/why-rules.js"
};
static const unsigned char german_access_js[] = {
#embed "../../FencepostPage/Web/german/access.js"
};
static const unsigned char german_alerts_js[] = {
#embed "../../FencepostPage/Web/german/alerts.js"
};
static const unsigned char german_apps_js[] = {
#embed "../../FencepostPage/Web/german/apps.js"
};
static const unsigned char german_common_js[] = {
#embed "../../FencepostPage/Web/german/common.js"
};
static const unsigned char german_drawing_js[] = {
#embed "../../FencepostPage/Web/german/drawing.js"
};
static const unsigned char german_history_js[] = {
#embed "../../FencepostPage/Web/german/history.js"
};
static const unsigned char german_imports_js[] = {
#embed "../../FencepostPage/Web/german/imports.js"
};
static const unsigned char german_live_js[] = {
#embed "../../FencepostPage/Web/german/live.js"
};
static const unsigned char german_map_js[] = {
#embed "../../FencepostPage/Web/german/map.js"
};
static const unsigned char german_mqtt_js[] = {
#embed "../../FencepostPage/Web/german/mqtt.js"
};
static const unsigned char german_phones_js[] = {
#embed "../../FencepostPage/Web/german/phones.js"
};
static const unsigned char german_pick_js[] = {
#embed "../../FencepostPage/Web/german/pick.js"
};
static const unsigned char german_plans_js[] = {
#embed "../../FencepostPage/Web/german/plans.js"
};
static const unsigned char german_presences_js[] = {
#embed "../../FencepostPage/Web/german/presences.js"
};
static const unsigned char german_regions_js[] = {
#embed "../../FencepostPage/Web/german/regions.js"
};
static const unsigned char german_reports_js[] = {
#embed "../../FencepostPage/Web/german/reports.js"
};
static const unsigned char german_share_js[] = {
#embed "../../FencepostPage/Web/german/share.js"
};
static const unsigned char german_shell_js[] = {
#embed "../../FencepostPage/Web/german/shell.js"
};
static const unsigned char german_texts_js[] = {
#embed "../../FencepostPage/Web/german/texts.js"
};
static const unsigned char german_webhooks_js[] = {
#embed "../../FencepostPage/Web/german/webhooks.js"
};
static const unsigned char german_why_rules_js[] = {
#embed "../../FencepostPage/Web/german/why-rules.js"
};
static const unsigned char history_day_js[] = {
#embed "../../FencepostPage/Web/history/day.js"
};
static const unsigned char history_diary_list_js[] = {
#embed "../../FencepostPage/Web/history/diary-list.js"
};
static const unsigned char history_diary_js[] = {
#embed "../../FencepostPage/Web/history/diary.js"
};
static const unsigned char history_dock_js[] = {
#embed "../../FencepostPage/Web/history/dock.js"
};
static const unsigned char history_modes_js[] = {
#embed "../../FencepostPage/Web/history/modes.js"
};
static const unsigned char history_panel_js[] = {
#embed "../../FencepostPage/Web/history/panel.js"
};
static const unsigned char history_place_name_js[] = {
#embed "../../FencepostPage/Web/history/place-name.js"
};
static const unsigned char history_playback_js[] = {
#embed "../../FencepostPage/Web/history/playback.js"
};
static const unsigned char history_player_js[] = {
#embed "../../FencepostPage/Web/history/player.js"
};
static const unsigned char history_similar_ids_js[] = {
#embed "../../FencepostPage/Web/history/similar-ids.js"
};
static const unsigned char history_stated_names_js[] = {
#embed "../../FencepostPage/Web/history/stated-names.js"
};
static const unsigned char history_stay_correction_js[] = {
#embed "../../FencepostPage/Web/history/stay-correction.js"
};
static const unsigned char history_time_field_js[] = {
#embed "../../FencepostPage/Web/history/time-field.js"
};
static const unsigned char history_time_view_js[] = {
#embed "../../FencepostPage/Web/history/time-view.js"
};
static const unsigned char history_timeline_js[] = {
#embed "../../FencepostPage/Web/history/timeline.js"
};
static const unsigned char history_track_layer_js[] = {
#embed "../../FencepostPage/Web/history/track-layer.js"
};
static const unsigned char history_zoom_bar_js[] = {
#embed "../../FencepostPage/Web/history/zoom-bar.js"
};
static const unsigned char history_zoom_gestures_js[] = {
#embed "../../FencepostPage/Web/history/zoom-gestures.js"
};
static const unsigned char import_panel_js[] = {
#embed "../../FencepostPage/Web/import/panel.js"
};
static const unsigned char import_report_js[] = {
#embed "../../FencepostPage/Web/import/report.js"
};
static const unsigned char import_track_layer_js[] = {
#embed "../../FencepostPage/Web/import/track-layer.js"
};
static const unsigned char live_add_menu_js[] = {
#embed "../../FencepostPage/Web/live/add-menu.js"
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
static const unsigned char live_event_icon_js[] = {
#embed "../../FencepostPage/Web/live/event-icon.js"
};
static const unsigned char live_face_js[] = {
#embed "../../FencepostPage/Web/live/face.js"
};
static const unsigned char live_fence_form_js[] = {
#embed "../../FencepostPage/Web/live/fence-form.js"
};
static const unsigned char live_fence_words_js[] = {
#embed "../../FencepostPage/Web/live/fence-words.js"
};
static const unsigned char live_filters_js[] = {
#embed "../../FencepostPage/Web/live/filters.js"
};
static const unsigned char live_found_js[] = {
#embed "../../FencepostPage/Web/live/found.js"
};
static const unsigned char live_matching_js[] = {
#embed "../../FencepostPage/Web/live/matching.js"
};
static const unsigned char live_panel_js[] = {
#embed "../../FencepostPage/Web/live/panel.js"
};
static const unsigned char live_people_js[] = {
#embed "../../FencepostPage/Web/live/people.js"
};
static const unsigned char live_place_search_js[] = {
#embed "../../FencepostPage/Web/live/place-search.js"
};
static const unsigned char live_profile_form_js[] = {
#embed "../../FencepostPage/Web/live/profile-form.js"
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
static const unsigned char map_clusters_js[] = {
#embed "../../FencepostPage/Web/map/clusters.js"
};
static const unsigned char map_device_layer_js[] = {
#embed "../../FencepostPage/Web/map/device-layer.js"
};
static const unsigned char map_explanation_layer_js[] = {
#embed "../../FencepostPage/Web/map/explanation-layer.js"
};
static const unsigned char map_fence_layer_js[] = {
#embed "../../FencepostPage/Web/map/fence-layer.js"
};
static const unsigned char map_labels_js[] = {
#embed "../../FencepostPage/Web/map/labels.js"
};
static const unsigned char map_legend_js[] = {
#embed "../../FencepostPage/Web/map/legend.js"
};
static const unsigned char map_map_view_js[] = {
#embed "../../FencepostPage/Web/map/map-view.js"
};
static const unsigned char map_map_js[] = {
#embed "../../FencepostPage/Web/map/map.js"
};
static const unsigned char map_region_layer_js[] = {
#embed "../../FencepostPage/Web/map/region-layer.js"
};
static const unsigned char map_street_labels_js[] = {
#embed "../../FencepostPage/Web/map/street-labels.js"
};
static const unsigned char map_streets_js[] = {
#embed "../../FencepostPage/Web/map/streets.js"
};
static const unsigned char map_tiles_js[] = {
#embed "../../FencepostPage/Web/map/tiles.js"
};
static const unsigned char map_vector_labels_js[] = {
#embed "../../FencepostPage/Web/map/vector-labels.js"
};
static const unsigned char map_vector_layer_js[] = {
#embed "../../FencepostPage/Web/map/vector-layer.js"
};
static const unsigned char map_vector_style_js[] = {
#embed "../../FencepostPage/Web/map/vector-style.js"
};
static const unsigned char map_vector_tile_js[] = {
#embed "../../FencepostPage/Web/map/vector-tile.js"
};
static const unsigned char map_world_file_js[] = {
#embed "../../FencepostPage/Web/map/world-file.js"
};
static const unsigned char mqtt_broker_address_js[] = {
#embed "../../FencepostPage/Web/mqtt/broker-address.js"
};
static const unsigned char mqtt_broker_card_js[] = {
#embed "../../FencepostPage/Web/mqtt/broker-card.js"
};
static const unsigned char mqtt_broker_fields_js[] = {
#embed "../../FencepostPage/Web/mqtt/broker-fields.js"
};
static const unsigned char mqtt_broker_form_js[] = {
#embed "../../FencepostPage/Web/mqtt/broker-form.js"
};
static const unsigned char mqtt_broker_words_js[] = {
#embed "../../FencepostPage/Web/mqtt/broker-words.js"
};
static const unsigned char mqtt_panel_js[] = {
#embed "../../FencepostPage/Web/mqtt/panel.js"
};
static const unsigned char phones_apps_js[] = {
#embed "../../FencepostPage/Web/phones/apps.js"
};
static const unsigned char phones_check_js[] = {
#embed "../../FencepostPage/Web/phones/check.js"
};
static const unsigned char phones_phone_tool_js[] = {
#embed "../../FencepostPage/Web/phones/phone-tool.js"
};
static const unsigned char phones_qr_code_js[] = {
#embed "../../FencepostPage/Web/phones/qr-code.js"
};
static const unsigned char pick_choices_js[] = {
#embed "../../FencepostPage/Web/pick/choices.js"
};
static const unsigned char pick_picker_js[] = {
#embed "../../FencepostPage/Web/pick/picker.js"
};
static const unsigned char pick_sources_js[] = {
#embed "../../FencepostPage/Web/pick/sources.js"
};
static const unsigned char pick_zones_js[] = {
#embed "../../FencepostPage/Web/pick/zones.js"
};
static const unsigned char plans_panel_js[] = {
#embed "../../FencepostPage/Web/plans/panel.js"
};
static const unsigned char plans_place_fields_js[] = {
#embed "../../FencepostPage/Web/plans/place-fields.js"
};
static const unsigned char plans_plan_card_js[] = {
#embed "../../FencepostPage/Web/plans/plan-card.js"
};
static const unsigned char plans_plan_form_js[] = {
#embed "../../FencepostPage/Web/plans/plan-form.js"
};
static const unsigned char plans_plan_words_js[] = {
#embed "../../FencepostPage/Web/plans/plan-words.js"
};
static const unsigned char plans_rounds_view_js[] = {
#embed "../../FencepostPage/Web/plans/rounds-view.js"
};
static const unsigned char regions_draft_js[] = {
#embed "../../FencepostPage/Web/regions/draft.js"
};
static const unsigned char regions_drawing_mode_js[] = {
#embed "../../FencepostPage/Web/regions/drawing-mode.js"
};
static const unsigned char regions_editor_js[] = {
#embed "../../FencepostPage/Web/regions/editor.js"
};
static const unsigned char regions_fields_js[] = {
#embed "../../FencepostPage/Web/regions/fields.js"
};
static const unsigned char regions_handles_js[] = {
#embed "../../FencepostPage/Web/regions/handles.js"
};
static const unsigned char regions_import_export_js[] = {
#embed "../../FencepostPage/Web/regions/import-export.js"
};
static const unsigned char regions_panel_js[] = {
#embed "../../FencepostPage/Web/regions/panel.js"
};
static const unsigned char regions_presence_tool_js[] = {
#embed "../../FencepostPage/Web/regions/presence-tool.js"
};
static const unsigned char regions_property_form_js[] = {
#embed "../../FencepostPage/Web/regions/property-form.js"
};
static const unsigned char regions_region_card_js[] = {
#embed "../../FencepostPage/Web/regions/region-card.js"
};
static const unsigned char regions_region_id_js[] = {
#embed "../../FencepostPage/Web/regions/region-id.js"
};
static const unsigned char regions_region_list_js[] = {
#embed "../../FencepostPage/Web/regions/region-list.js"
};
static const unsigned char regions_requests_js[] = {
#embed "../../FencepostPage/Web/regions/requests.js"
};
static const unsigned char regions_schedule_field_js[] = {
#embed "../../FencepostPage/Web/regions/schedule-field.js"
};
static const unsigned char regions_vertex_table_js[] = {
#embed "../../FencepostPage/Web/regions/vertex-table.js"
};
static const unsigned char reports_panel_js[] = {
#embed "../../FencepostPage/Web/reports/panel.js"
};
static const unsigned char reports_places_js[] = {
#embed "../../FencepostPage/Web/reports/places.js"
};
static const unsigned char reports_plots_js[] = {
#embed "../../FencepostPage/Web/reports/plots.js"
};
static const unsigned char reports_schedules_js[] = {
#embed "../../FencepostPage/Web/reports/schedules.js"
};
static const unsigned char reports_summary_table_js[] = {
#embed "../../FencepostPage/Web/reports/summary-table.js"
};
static const unsigned char reports_tables_js[] = {
#embed "../../FencepostPage/Web/reports/tables.js"
};
static const unsigned char share_share_js[] = {
#embed "../../FencepostPage/Web/share/share.js"
};
static const unsigned char shell_bottom_sheet_js[] = {
#embed "../../FencepostPage/Web/shell/bottom-sheet.js"
};
static const unsigned char shell_icons_js[] = {
#embed "../../FencepostPage/Web/shell/icons.js"
};
static const unsigned char shell_main_js[] = {
#embed "../../FencepostPage/Web/shell/main.js"
};
static const unsigned char shell_menu_js[] = {
#embed "../../FencepostPage/Web/shell/menu.js"
};
static const unsigned char shell_resizer_js[] = {
#embed "../../FencepostPage/Web/shell/resizer.js"
};
static const unsigned char shell_sign_in_js[] = {
#embed "../../FencepostPage/Web/shell/sign-in.js"
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
static const unsigned char state_device_store_js[] = {
#embed "../../FencepostPage/Web/state/device-store.js"
};
static const unsigned char state_event_log_js[] = {
#embed "../../FencepostPage/Web/state/event-log.js"
};
static const unsigned char state_latest_events_js[] = {
#embed "../../FencepostPage/Web/state/latest-events.js"
};
static const unsigned char state_poller_js[] = {
#embed "../../FencepostPage/Web/state/poller.js"
};
static const unsigned char state_region_store_js[] = {
#embed "../../FencepostPage/Web/state/region-store.js"
};
static const unsigned char state_tag_colors_js[] = {
#embed "../../FencepostPage/Web/state/tag-colors.js"
};
static const unsigned char style_access_css[] = {
#embed "../../FencepostPage/Web/style/access.css"
};
static const unsigned char style_components_css[] = {
#embed "../../FencepostPage/Web/style/components.css"
};
static const unsigned char style_history_css[] = {
#embed "../../FencepostPage/Web/style/history.css"
};
static const unsigned char style_import_css[] = {
#embed "../../FencepostPage/Web/style/import.css"
};
static const unsigned char style_layout_css[] = {
#embed "../../FencepostPage/Web/style/layout.css"
};
static const unsigned char style_logo_svg[] = {
#embed "../../FencepostPage/Web/style/logo.svg"
};
static const unsigned char style_map_css[] = {
#embed "../../FencepostPage/Web/style/map.css"
};
static const unsigned char style_phones_css[] = {
#embed "../../FencepostPage/Web/style/phones.css"
};
static const unsigned char style_pick_css[] = {
#embed "../../FencepostPage/Web/style/pick.css"
};
static const unsigned char style_reports_css[] = {
#embed "../../FencepostPage/Web/style/reports.css"
};
static const unsigned char style_tokens_css[] = {
#embed "../../FencepostPage/Web/style/tokens.css"
};
static const unsigned char style_webhooks_apps_css[] = {
#embed "../../FencepostPage/Web/style/webhooks-apps.css"
};
static const unsigned char text_choice_js[] = {
#embed "../../FencepostPage/Web/text/choice.js"
};
static const unsigned char text_languages_js[] = {
#embed "../../FencepostPage/Web/text/languages.js"
};
static const unsigned char text_text_js[] = {
#embed "../../FencepostPage/Web/text/text.js"
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
static const unsigned char webhooks_endpoint_kinds_js[] = {
#embed "../../FencepostPage/Web/webhooks/endpoint-kinds.js"
};
static const unsigned char webhooks_endpoint_names_js[] = {
#embed "../../FencepostPage/Web/webhooks/endpoint-names.js"
};
static const unsigned char webhooks_message_fields_js[] = {
#embed "../../FencepostPage/Web/webhooks/message-fields.js"
};
static const unsigned char webhooks_mqtt_card_js[] = {
#embed "../../FencepostPage/Web/webhooks/mqtt-card.js"
};
static const unsigned char webhooks_panel_js[] = {
#embed "../../FencepostPage/Web/webhooks/panel.js"
};
static const unsigned char webhooks_secret_js[] = {
#embed "../../FencepostPage/Web/webhooks/secret.js"
};
// End of the generated part.

static const unsigned char qrcode_qrcode_js[] = {
#embed "/usr/share/javascript/qrcode-generator/qrcode.js"
    , '\n', 'e', 'x', 'p', 'o', 'r', 't', ' ', 'd', 'e', 'f', 'a', 'u', 'l', 't', ' ',
    'q', 'r', 'c', 'o', 'd', 'e', ';', '\n'
};
static const unsigned char leaflet_leaflet_css[] = {
#embed "/usr/share/javascript/leaflet/leaflet.css"
};
static const unsigned char leaflet_leaflet_js[] = {
#embed "/usr/share/javascript/leaflet/leaflet.esm.min.js"
};

#define PAGE_FILE(path, bytes) {path, bytes, sizeof bytes}

static const fencepost_page_file files[] = {
    // Generated (rows) by python3 Tests/Lint/page_files.py --write
    PAGE_FILE("index.html", index_html),
    PAGE_FILE("share.html", share_html),
    PAGE_FILE("access/account.js", access_account_js),
    PAGE_FILE("access/cluster.js", access_cluster_js),
    PAGE_FILE("access/form.js", access_form_js),
    PAGE_FILE("access/networks.js", access_networks_js),
    PAGE_FILE("access/panel.js", access_panel_js),
    PAGE_FILE("access/shares.js", access_shares_js),
    PAGE_FILE("access/tokens.js", access_tokens_js),
    PAGE_FILE("access/users.js", access_users_js),
    PAGE_FILE("alerts/pair-words.js", alerts_pair_words_js),
    PAGE_FILE("alerts/pairs.js", alerts_pairs_js),
    PAGE_FILE("alerts/panel.js", alerts_panel_js),
    PAGE_FILE("alerts/rule-card.js", alerts_rule_card_js),
    PAGE_FILE("alerts/rule-form.js", alerts_rule_form_js),
    PAGE_FILE("alerts/rule-words.js", alerts_rule_words_js),
    PAGE_FILE("apps/app-card.js", apps_app_card_js),
    PAGE_FILE("apps/app-form.js", apps_app_form_js),
    PAGE_FILE("apps/decision.js", apps_decision_js),
    PAGE_FILE("apps/labels.js", apps_labels_js),
    PAGE_FILE("apps/panel.js", apps_panel_js),
    PAGE_FILE("apps/rules.js", apps_rules_js),
    PAGE_FILE("apps/use.js", apps_use_js),
    PAGE_FILE("base/world.bin", base_world_bin),
    PAGE_FILE("core/api.js", core_api_js),
    PAGE_FILE("core/coordinates.js", core_coordinates_js),
    PAGE_FILE("core/dom.js", core_dom_js),
    PAGE_FILE("core/download.js", core_download_js),
    PAGE_FILE("core/event-types.js", core_event_types_js),
    PAGE_FILE("core/format.js", core_format_js),
    PAGE_FILE("core/fragment.js", core_fragment_js),
    PAGE_FILE("core/geo.js", core_geo_js),
    PAGE_FILE("core/geocoder.js", core_geocoder_js),
    PAGE_FILE("core/groups.js", core_groups_js),
    PAGE_FILE("core/label.js", core_label_js),
    PAGE_FILE("core/natural-order.js", core_natural_order_js),
    PAGE_FILE("core/nearest-point.js", core_nearest_point_js),
    PAGE_FILE("core/observable.js", core_observable_js),
    PAGE_FILE("core/patterns.js", core_patterns_js),
    PAGE_FILE("core/pointer.js", core_pointer_js),
    PAGE_FILE("core/profiles.js", core_profiles_js),
    PAGE_FILE("core/provider.js", core_provider_js),
    PAGE_FILE("core/session.js", core_session_js),
    PAGE_FILE("core/stream.js", core_stream_js),
    PAGE_FILE("core/theme.js", core_theme_js),
    PAGE_FILE("core/time.js", core_time_js),
    PAGE_FILE("core/units.js", core_units_js),
    PAGE_FILE("core/zone.js", core_zone_js),
    PAGE_FILE("drawing/explanation.js", drawing_explanation_js),
    PAGE_FILE("drawing/lanes.css", drawing_lanes_css),
    PAGE_FILE("drawing/linked-highlight.js", drawing_linked_highlight_js),
    PAGE_FILE("drawing/outcome-icon.js", drawing_outcome_icon_js),
    PAGE_FILE("drawing/outcomes.svg", drawing_outcomes_svg),
    PAGE_FILE("drawing/state-colors.css", drawing_state_colors_css),
    PAGE_FILE("english/access.js", english_access_js),
    PAGE_FILE("english/alerts.js", english_alerts_js),
    PAGE_FILE("english/apps.js", english_apps_js),
    PAGE_FILE("english/common.js", english_common_js),
    PAGE_FILE("english/drawing.js", english_drawing_js),
    PAGE_FILE("english/history.js", english_history_js),
    PAGE_FILE("english/imports.js", english_imports_js),
    PAGE_FILE("english/live.js", english_live_js),
    PAGE_FILE("english/map.js", english_map_js),
    PAGE_FILE("english/mqtt.js", english_mqtt_js),
    PAGE_FILE("english/phones.js", english_phones_js),
    PAGE_FILE("english/pick.js", english_pick_js),
    PAGE_FILE("english/plans.js", english_plans_js),
    PAGE_FILE("english/presences.js", english_presences_js),
    PAGE_FILE("english/regions.js", english_regions_js),
    PAGE_FILE("english/reports.js", english_reports_js),
    PAGE_FILE("english/share.js", english_share_js),
    PAGE_FILE("english/shell.js", english_shell_js),
    PAGE_FILE("english/texts.js", english_texts_js),
    PAGE_FILE("english/webhooks.js", english_webhooks_js),
    PAGE_FILE("english/why-rules.js", english_why_rules_js),
    PAGE_FILE("german/access.js", german_access_js),
    PAGE_FILE("german/alerts.js", german_alerts_js),
    PAGE_FILE("german/apps.js", german_apps_js),
    PAGE_FILE("german/common.js", german_common_js),
    PAGE_FILE("german/drawing.js", german_drawing_js),
    PAGE_FILE("german/history.js", german_history_js),
    PAGE_FILE("german/imports.js", german_imports_js),
    PAGE_FILE("german/live.js", german_live_js),
    PAGE_FILE("german/map.js", german_map_js),
    PAGE_FILE("german/mqtt.js", german_mqtt_js),
    PAGE_FILE("german/phones.js", german_phones_js),
    PAGE_FILE("german/pick.js", german_pick_js),
    PAGE_FILE("german/plans.js", german_plans_js),
    PAGE_FILE("german/presences.js", german_presences_js),
    PAGE_FILE("german/regions.js", german_regions_js),
    PAGE_FILE("german/reports.js", german_reports_js),
    PAGE_FILE("german/share.js", german_share_js),
    PAGE_FILE("german/shell.js", german_shell_js),
    PAGE_FILE("german/texts.js", german_texts_js),
    PAGE_FILE("german/webhooks.js", german_webhooks_js),
    PAGE_FILE("german/why-rules.js", german_why_rules_js),
    PAGE_FILE("history/day.js", history_day_js),
    PAGE_FILE("history/diary-list.js", history_diary_list_js),
    PAGE_FILE("history/diary.js", history_diary_js),
    PAGE_FILE("history/dock.js", history_dock_js),
    PAGE_FILE("history/modes.js", history_modes_js),
    PAGE_FILE("history/panel.js", history_panel_js),
    PAGE_FILE("history/place-name.js", history_place_name_js),
    PAGE_FILE("history/playback.js", history_playback_js),
    PAGE_FILE("history/player.js", history_player_js),
    PAGE_FILE("history/similar-ids.js", history_similar_ids_js),
    PAGE_FILE("history/stated-names.js", history_stated_names_js),
    PAGE_FILE("history/stay-correction.js", history_stay_correction_js),
    PAGE_FILE("history/time-field.js", history_time_field_js),
    PAGE_FILE("history/time-view.js", history_time_view_js),
    PAGE_FILE("history/timeline.js", history_timeline_js),
    PAGE_FILE("history/track-layer.js", history_track_layer_js),
    PAGE_FILE("history/zoom-bar.js", history_zoom_bar_js),
    PAGE_FILE("history/zoom-gestures.js", history_zoom_gestures_js),
    PAGE_FILE("import/panel.js", import_panel_js),
    PAGE_FILE("import/report.js", import_report_js),
    PAGE_FILE("import/track-layer.js", import_track_layer_js),
    PAGE_FILE("live/add-menu.js", live_add_menu_js),
    PAGE_FILE("live/device-card.js", live_device_card_js),
    PAGE_FILE("live/device-list.js", live_device_list_js),
    PAGE_FILE("live/event-card.js", live_event_card_js),
    PAGE_FILE("live/event-feed.js", live_event_feed_js),
    PAGE_FILE("live/event-icon.js", live_event_icon_js),
    PAGE_FILE("live/face.js", live_face_js),
    PAGE_FILE("live/fence-form.js", live_fence_form_js),
    PAGE_FILE("live/fence-words.js", live_fence_words_js),
    PAGE_FILE("live/filters.js", live_filters_js),
    PAGE_FILE("live/found.js", live_found_js),
    PAGE_FILE("live/matching.js", live_matching_js),
    PAGE_FILE("live/panel.js", live_panel_js),
    PAGE_FILE("live/people.js", live_people_js),
    PAGE_FILE("live/place-search.js", live_place_search_js),
    PAGE_FILE("live/profile-form.js", live_profile_form_js),
    PAGE_FILE("live/test-app.js", live_test_app_js),
    PAGE_FILE("live/walk-tool.js", live_walk_tool_js),
    PAGE_FILE("live/walk.js", live_walk_js),
    PAGE_FILE("map/basemap.js", map_basemap_js),
    PAGE_FILE("map/canvas-layer.js", map_canvas_layer_js),
    PAGE_FILE("map/clip.js", map_clip_js),
    PAGE_FILE("map/clusters.js", map_clusters_js),
    PAGE_FILE("map/device-layer.js", map_device_layer_js),
    PAGE_FILE("map/explanation-layer.js", map_explanation_layer_js),
    PAGE_FILE("map/fence-layer.js", map_fence_layer_js),
    PAGE_FILE("map/labels.js", map_labels_js),
    PAGE_FILE("map/legend.js", map_legend_js),
    PAGE_FILE("map/map-view.js", map_map_view_js),
    PAGE_FILE("map/map.js", map_map_js),
    PAGE_FILE("map/region-layer.js", map_region_layer_js),
    PAGE_FILE("map/street-labels.js", map_street_labels_js),
    PAGE_FILE("map/streets.js", map_streets_js),
    PAGE_FILE("map/tiles.js", map_tiles_js),
    PAGE_FILE("map/vector-labels.js", map_vector_labels_js),
    PAGE_FILE("map/vector-layer.js", map_vector_layer_js),
    PAGE_FILE("map/vector-style.js", map_vector_style_js),
    PAGE_FILE("map/vector-tile.js", map_vector_tile_js),
    PAGE_FILE("map/world-file.js", map_world_file_js),
    PAGE_FILE("mqtt/broker-address.js", mqtt_broker_address_js),
    PAGE_FILE("mqtt/broker-card.js", mqtt_broker_card_js),
    PAGE_FILE("mqtt/broker-fields.js", mqtt_broker_fields_js),
    PAGE_FILE("mqtt/broker-form.js", mqtt_broker_form_js),
    PAGE_FILE("mqtt/broker-words.js", mqtt_broker_words_js),
    PAGE_FILE("mqtt/panel.js", mqtt_panel_js),
    PAGE_FILE("phones/apps.js", phones_apps_js),
    PAGE_FILE("phones/check.js", phones_check_js),
    PAGE_FILE("phones/phone-tool.js", phones_phone_tool_js),
    PAGE_FILE("phones/qr-code.js", phones_qr_code_js),
    PAGE_FILE("pick/choices.js", pick_choices_js),
    PAGE_FILE("pick/picker.js", pick_picker_js),
    PAGE_FILE("pick/sources.js", pick_sources_js),
    PAGE_FILE("pick/zones.js", pick_zones_js),
    PAGE_FILE("plans/panel.js", plans_panel_js),
    PAGE_FILE("plans/place-fields.js", plans_place_fields_js),
    PAGE_FILE("plans/plan-card.js", plans_plan_card_js),
    PAGE_FILE("plans/plan-form.js", plans_plan_form_js),
    PAGE_FILE("plans/plan-words.js", plans_plan_words_js),
    PAGE_FILE("plans/rounds-view.js", plans_rounds_view_js),
    PAGE_FILE("regions/draft.js", regions_draft_js),
    PAGE_FILE("regions/drawing-mode.js", regions_drawing_mode_js),
    PAGE_FILE("regions/editor.js", regions_editor_js),
    PAGE_FILE("regions/fields.js", regions_fields_js),
    PAGE_FILE("regions/handles.js", regions_handles_js),
    PAGE_FILE("regions/import-export.js", regions_import_export_js),
    PAGE_FILE("regions/panel.js", regions_panel_js),
    PAGE_FILE("regions/presence-tool.js", regions_presence_tool_js),
    PAGE_FILE("regions/property-form.js", regions_property_form_js),
    PAGE_FILE("regions/region-card.js", regions_region_card_js),
    PAGE_FILE("regions/region-id.js", regions_region_id_js),
    PAGE_FILE("regions/region-list.js", regions_region_list_js),
    PAGE_FILE("regions/requests.js", regions_requests_js),
    PAGE_FILE("regions/schedule-field.js", regions_schedule_field_js),
    PAGE_FILE("regions/vertex-table.js", regions_vertex_table_js),
    PAGE_FILE("reports/panel.js", reports_panel_js),
    PAGE_FILE("reports/places.js", reports_places_js),
    PAGE_FILE("reports/plots.js", reports_plots_js),
    PAGE_FILE("reports/schedules.js", reports_schedules_js),
    PAGE_FILE("reports/summary-table.js", reports_summary_table_js),
    PAGE_FILE("reports/tables.js", reports_tables_js),
    PAGE_FILE("share/share.js", share_share_js),
    PAGE_FILE("shell/bottom-sheet.js", shell_bottom_sheet_js),
    PAGE_FILE("shell/icons.js", shell_icons_js),
    PAGE_FILE("shell/main.js", shell_main_js),
    PAGE_FILE("shell/menu.js", shell_menu_js),
    PAGE_FILE("shell/resizer.js", shell_resizer_js),
    PAGE_FILE("shell/sign-in.js", shell_sign_in_js),
    PAGE_FILE("shell/status.js", shell_status_js),
    PAGE_FILE("shell/tabs.js", shell_tabs_js),
    PAGE_FILE("shell/toasts.js", shell_toasts_js),
    PAGE_FILE("state/device-store.js", state_device_store_js),
    PAGE_FILE("state/event-log.js", state_event_log_js),
    PAGE_FILE("state/latest-events.js", state_latest_events_js),
    PAGE_FILE("state/poller.js", state_poller_js),
    PAGE_FILE("state/region-store.js", state_region_store_js),
    PAGE_FILE("state/tag-colors.js", state_tag_colors_js),
    PAGE_FILE("style/access.css", style_access_css),
    PAGE_FILE("style/components.css", style_components_css),
    PAGE_FILE("style/history.css", style_history_css),
    PAGE_FILE("style/import.css", style_import_css),
    PAGE_FILE("style/layout.css", style_layout_css),
    PAGE_FILE("style/logo.svg", style_logo_svg),
    PAGE_FILE("style/map.css", style_map_css),
    PAGE_FILE("style/phones.css", style_phones_css),
    PAGE_FILE("style/pick.css", style_pick_css),
    PAGE_FILE("style/reports.css", style_reports_css),
    PAGE_FILE("style/tokens.css", style_tokens_css),
    PAGE_FILE("style/webhooks-apps.css", style_webhooks_apps_css),
    PAGE_FILE("text/choice.js", text_choice_js),
    PAGE_FILE("text/languages.js", text_languages_js),
    PAGE_FILE("text/text.js", text_text_js),
    PAGE_FILE("webhooks/deliveries.js", webhooks_deliveries_js),
    PAGE_FILE("webhooks/delivery.js", webhooks_delivery_js),
    PAGE_FILE("webhooks/endpoint-card.js", webhooks_endpoint_card_js),
    PAGE_FILE("webhooks/endpoint-form.js", webhooks_endpoint_form_js),
    PAGE_FILE("webhooks/endpoint-kinds.js", webhooks_endpoint_kinds_js),
    PAGE_FILE("webhooks/endpoint-names.js", webhooks_endpoint_names_js),
    PAGE_FILE("webhooks/message-fields.js", webhooks_message_fields_js),
    PAGE_FILE("webhooks/mqtt-card.js", webhooks_mqtt_card_js),
    PAGE_FILE("webhooks/panel.js", webhooks_panel_js),
    PAGE_FILE("webhooks/secret.js", webhooks_secret_js),
    // End of the generated part.
    PAGE_FILE("qrcode/qrcode.js", qrcode_qrcode_js),
    PAGE_FILE("leaflet/leaflet.css", leaflet_leaflet_css),
    PAGE_FILE("leaflet/leaflet.js", leaflet_leaflet_js),
};

const fencepost_page_file *_Nullable fencepost_page_file_at(size_t index) {
    return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
