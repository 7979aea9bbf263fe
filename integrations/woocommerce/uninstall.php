<?php

/* WordPress runs this when the plug-in is deleted. Orders keep their notes and the meta data of their payments. */

declare(strict_types=1);

defined('WP_UNINSTALL_PLUGIN') || exit;

global $wpdb;

delete_option('woocommerce_nano_gateway_settings');
wp_unschedule_hook('nano_gateway_look');
// Locks of requests that crashed.
$wpdb->query($wpdb->prepare(
    "DELETE FROM {$wpdb->options} WHERE option_name LIKE %s",
    $wpdb->esc_like('nano_gateway_lock_') . '%'
));
