<?php

/**
 * Plugin Name: Nano for WooCommerce
 * Description: Takes payments in nano through a nano-gateway: hosted payment page, signed webhooks, refunds from the order.
 * Version: 0.2.0
 * Requires at least: 6.4
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.3
 * License: MIT
 * Text Domain: nano-gateway
 */

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

const VERSION = '0.2.0';
const FILE = __FILE__;

require_once __DIR__ . '/includes/verify-webhook.php';
require_once __DIR__ . '/includes/GatewayError.php';
require_once __DIR__ . '/includes/Api.php';
require_once __DIR__ . '/includes/Settings.php';
require_once __DIR__ . '/includes/OrderBusy.php';
require_once __DIR__ . '/includes/OrderLock.php';
require_once __DIR__ . '/includes/OrderFacts.php';
require_once __DIR__ . '/includes/Settle.php';
require_once __DIR__ . '/includes/OpenCheckout.php';
require_once __DIR__ . '/includes/Refund.php';
require_once __DIR__ . '/includes/Webhook.php';
require_once __DIR__ . '/includes/ConnectionTest.php';

add_action('before_woocommerce_init', static function (): void {
    if (class_exists('Automattic\WooCommerce\Utilities\FeaturesUtil')) {
        foreach (['custom_order_tables', 'cart_checkout_blocks'] as $feature) {
            \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility($feature, __FILE__, true);
        }
    }
});

add_action('init', static function (): void {
    load_plugin_textdomain('nano-gateway', false, dirname(plugin_basename(__FILE__)) . '/languages');
});

add_filter('woocommerce_payment_gateways', static function (array $gateways): array {
    // Its parent class exists only while WooCommerce runs.
    require_once __DIR__ . '/includes/Gateway.php';
    return [...$gateways, Gateway::class];
});

add_action('woocommerce_blocks_payment_method_type_registration', static function ($registry): void {
    require_once __DIR__ . '/includes/BlocksMethod.php';
    $registry->register(new BlocksMethod());
});

add_action('woocommerce_api_nano_gateway', static fn () => Webhook::answer());
add_action('wp_ajax_nano_gateway_test', static fn () => ConnectionTest::answer());

// For shops that the gateway cannot reach: they look when the payer returns, and when the time to pay is over.
add_action('woocommerce_before_thankyou', static fn ($orderId) => Settle::lookQuietly((int) $orderId));
add_action('nano_gateway_look', static fn ($orderId) => Settle::lookQuietly((int) $orderId));

add_filter('woocommerce_order_actions', static function (array $actions, $order = null): array {
    $isOurs = $order instanceof \WC_Order && $order->get_payment_method() === Settings::ID;
    return $isOurs ? [...$actions, 'nano_gateway_look' => __('Check the payment with the nano gateway', 'nano-gateway')] : $actions;
}, 10, 2);
add_action('woocommerce_order_action_nano_gateway_look', static fn ($order) => Settle::lookAtAll($order->get_id()));

register_deactivation_hook(__FILE__, static function (): void {
    wp_unschedule_hook('nano_gateway_look');
});
