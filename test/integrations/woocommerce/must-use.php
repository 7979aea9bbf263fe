<?php

/* For a real WordPress: the stand-in for WooCommerce, and for its customers and merchants. */

declare(strict_types=1);

require getenv('SHOP_DOUBLE') . '/store.php';
require getenv('SHOP_DOUBLE') . '/woocommerce.php';

add_action('plugins_loaded', static fn () => do_action('before_woocommerce_init'));
// The settings form, at the place where WooCommerce would show it.
add_action('admin_menu', static function (): void {
    add_menu_page('Nano', 'Nano', 'manage_woocommerce', 'nano', static function (): void {
        [$class] = apply_filters('woocommerce_payment_gateways', []);
        echo '<div class="wrap"><h1>Nano</h1><table class="form-table">', (new $class())->generate_settings_html(), '</table></div>';
    });
});
add_action('wp_loaded', static function (): void {
    $path = (string) parse_url($_SERVER['REQUEST_URI'] ?? '', PHP_URL_PATH);
    if (isset($_GET['wc-api']) || str_starts_with($path, '/play/')) {
        require getenv('SHOP_DOUBLE') . '/shop.php';
    }
});
