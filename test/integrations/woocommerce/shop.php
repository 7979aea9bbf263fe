<?php

/* A shop with the plug-in, for PHP's own web server: the public addresses, and under /play/ what its customers and its merchant do. */

declare(strict_types=1);

// A real WordPress has already loaded the plug-in, and calls its hooks.
if (!defined('ABSPATH')) {
    require __DIR__ . '/wordpress.php';
    require __DIR__ . '/woocommerce.php';
    require getenv('SHOP_PLUGIN') . '/nano-gateway.php';
    do_action('before_woocommerce_init');
    do_action('init');
}
global $gateway, $notices;
[$class] = apply_filters('woocommerce_payment_gateways', []);
$gateway = new $class();
$given = json_decode(file_get_contents('php://input'), true) ?: [];

function tell(mixed $answer): never
{
    header('Content-Type: application/json');
    exit(json_encode($answer));
}

function order(array $given): array
{
    $wpdb = shop_store();
    $sql = "INSERT INTO orders (status, total, currency, payment_method, transaction_id) VALUES ('pending', %s, %s, 'nano_gateway', '')";
    $wpdb->query($wpdb->prepare($sql, $given['total'], $given['currency'] ?? 'EUR'));
    return ['id' => (int) $wpdb->pdo->lastInsertId()];
}

function show(array $given): array
{
    $wpdb = shop_store();
    $order = new WC_Order($given['id']);
    $list = static fn (string $column, string $table) => $wpdb->pdo->query("SELECT $column FROM $table WHERE order_id = {$order->get_id()} ORDER BY id")->fetchAll(PDO::FETCH_COLUMN);
    return [
        'status' => $order->get_status(),
        'transaction' => $order->get_transaction_id(),
        'checkouts' => array_column($order->get_meta('_nano_gateway_checkouts') ?: [], 'id'),
        'notes' => $list('text', 'notes'),
        'refunds' => $list('amount', 'refunds'),
        'happened' => $list('what', 'happened'),
    ];
}

/** A refund as in the admin pages: it is recorded first, and removed again if the gateway refuses. */
function refund(array $given): array
{
    global $gateway;
    $wpdb = shop_store();
    $wpdb->query($wpdb->prepare('INSERT INTO refunds (order_id, amount) VALUES (%d, %s)', $given['id'], $given['amount']));
    $id = (int) $wpdb->pdo->lastInsertId();
    $result = $gateway->process_refund($given['id'], (float) $given['amount'], 'broken');
    if (is_wp_error($result)) {
        $wpdb->query($wpdb->prepare('DELETE FROM refunds WHERE id = %d', $id));
        return ['code' => $result->get_error_code(), 'message' => $result->get_error_message()];
    }
    return ['success' => $result];
}

function blocks(): array
{
    global $scripts;
    $registry = new class {
        public ?object $method = null;
        public function register(object $method): void
        {
            $this->method = $method;
        }
    };
    do_action('woocommerce_blocks_payment_method_type_registration', $registry);
    $registry->method->initialize();
    $handles = $registry->method->get_payment_method_script_handles();
    return [
        'name' => $registry->method->get_name(),
        'active' => $registry->method->is_active(),
        'data' => $registry->method->get_payment_method_data(),
        'scripts' => array_map(static fn (string $name) => $scripts[$name], $handles),
        'declared' => Automattic\WooCommerce\Utilities\FeaturesUtil::$declared,
    ];
}

function change(array $given): array
{
    $order = wc_get_order($given['id']);
    if (isset($given['total'])) {
        $order->set_total($given['total']);
    }
    if (isset($given['method'])) {
        $order->set_payment_method($given['method']);
    }
    $order->save();
    if (isset($given['status'])) {
        $order->update_status($given['status']);
    }
    return [];
}

function optionsLeft(): array
{
    $wpdb = shop_store();
    return $wpdb->pdo->query('SELECT option_name FROM wp_options ORDER BY 1')->fetchAll(PDO::FETCH_COLUMN);
}

function uninstall(): array
{
    define('WP_UNINSTALL_PLUGIN', 'nano-gateway/nano-gateway.php');
    (static fn () => require getenv('SHOP_PLUGIN') . '/uninstall.php')();
    return optionsLeft();
}

if (isset($_GET['wc-api'])) {
    do_action('woocommerce_api_' . $_GET['wc-api']);
    exit;
}
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/wp-admin/admin-ajax.php') {
    do_action('wp_ajax_' . $_POST['action']);
    exit;
}
if ($path === '/play/save') {
    do_action('woocommerce_update_options_payment_gateways_nano_gateway');
    tell(['errors' => WC_Admin_Settings::$errors]);
}
tell(match ($path) {
    '/play/order' => order($given),
    '/play/pay' => [...$gateway->process_payment($given['id']), 'notices' => $notices],
    '/play/show' => show($given),
    '/play/change' => change($given),
    '/play/refund' => refund($given),
    '/play/thankyou' => [do_action('woocommerce_before_thankyou', $given['id'])],
    '/play/settings' => ['html' => $gateway->generate_settings_html(), 'available' => $gateway->is_available()],
    '/play/log' => get_option('log', []),
    '/play/options' => optionsLeft(),
    '/play/cron' => get_option('cron', []),
    '/play/lock' => [shop_store()->query(shop_store()->prepare("INSERT OR REPLACE INTO wp_options VALUES (%s, %s, 'no')", $given['name'], $given['value']))],
    '/play/blocks' => blocks(),
    '/play/uninstall' => uninstall(),
    default => [],
});
