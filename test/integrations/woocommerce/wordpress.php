<?php

/*
 * What the plug-in uses of WordPress, written from its public documents: hooks, options and $wpdb on a real database, the HTTP client, escaping,
 * nonces. For a plug-in it behaves like WordPress, slashes in superglobals included, and does nothing more.
 */

declare(strict_types=1);

const ABSPATH = __DIR__;

require __DIR__ . '/store.php';

final class wpdb extends ShopStore
{
}

$wpdb = new wpdb(getenv('SHOP_DATABASE'));

$hooks = [];
function add_filter(string $hook, callable $run, int $priority = 10, int $arguments = 1): bool
{
    global $hooks;
    $hooks[$hook][] = [$run, $arguments];
    return true;
}
function add_action(string $hook, callable $run, int $priority = 10, int $arguments = 1): bool
{
    return add_filter($hook, $run, $priority, $arguments);
}
function apply_filters(string $hook, mixed $value, mixed ...$more): mixed
{
    global $hooks;
    foreach ($hooks[$hook] ?? [] as [$run, $arguments]) {
        $value = $run(...array_slice([$value, ...$more], 0, $arguments));
    }
    return $value;
}
function do_action(string $hook, mixed ...$given): void
{
    global $hooks;
    foreach ($hooks[$hook] ?? [] as [$run, $arguments]) {
        $run(...array_slice($given, 0, $arguments));
    }
}
function register_deactivation_hook(string $file, callable $run): void
{
    add_action('deactivate', $run);
}

function get_option(string $name, mixed $otherwise = false): mixed
{
    global $wpdb;
    $value = $wpdb->get_var($wpdb->prepare('SELECT option_value FROM wp_options WHERE option_name = %s', $name));
    return $value === null ? $otherwise : unserialize($value);
}
function update_option(string $name, mixed $value): bool
{
    global $wpdb;
    $sql = "INSERT INTO wp_options VALUES (%s, %s, 'yes') ON CONFLICT DO UPDATE SET option_value = excluded.option_value";
    return $wpdb->query($wpdb->prepare($sql, $name, serialize($value))) === 1;
}
function delete_option(string $name): bool
{
    global $wpdb;
    return $wpdb->query($wpdb->prepare('DELETE FROM wp_options WHERE option_name = %s', $name)) === 1;
}

function clean_post_cache(int $id): void
{
}

final class WP_Error
{
    public function __construct(private string $code = '', private string $message = '')
    {
    }
    public function get_error_code(): string
    {
        return $this->code;
    }
    public function get_error_message(): string
    {
        return $this->message;
    }
}
function is_wp_error(mixed $thing): bool
{
    return $thing instanceof WP_Error;
}

function wp_remote_request(string $url, array $asked): array|WP_Error
{
    $headers = array_map(static fn ($name, $value) => "$name: $value", array_keys($asked['headers']), $asked['headers']);
    $context = stream_context_create(['http' => [
        'method' => $asked['method'],
        'header' => [...$headers, 'Connection: close'],
        'content' => $asked['body'] ?? '',
        'timeout' => $asked['timeout'],
        'follow_location' => $asked['redirection'] === 0 ? 0 : 1,
        'ignore_errors' => true,
        'protocol_version' => 1.1,
    ]]);
    $body = @file_get_contents($url, false, $context, 0, $asked['limit_response_size']);
    if ($body === false) {
        return new WP_Error('http_request_failed', preg_replace('/^.*: /', '', error_get_last()['message'] ?? 'No answer'));
    }
    preg_match('/^HTTP\/\S+ (\d+)/', $http_response_header[0], $status);
    return ['response' => ['code' => (int) $status[1]], 'body' => $body];
}
function wp_remote_retrieve_response_code(array $answer): int
{
    return $answer['response']['code'];
}
function wp_remote_retrieve_body(array $answer): string
{
    return $answer['body'];
}

function __(string $text, string $domain): string
{
    return $text;
}
function esc_html(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES);
}
function esc_attr(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES);
}
function esc_html__(string $text, string $domain): string
{
    return esc_html($text);
}
function esc_attr__(string $text, string $domain): string
{
    return esc_attr($text);
}
function esc_url_raw(string $url, array $schemes = ['http', 'https']): string
{
    $url = preg_replace('/[^a-z0-9-~+_.?#=!&;,\/:%@$|*\'()\[\]]/i', '', $url);
    return $url === '' || in_array(strtolower((string) parse_url($url, PHP_URL_SCHEME)), $schemes, true) ? $url : '';
}
function esc_url(string $url): string
{
    return esc_attr(esc_url_raw($url));
}
function sanitize_text_field(string $text): string
{
    return trim(preg_replace('/\s+/', ' ', strip_tags($text)));
}
function wp_strip_all_tags(string $text): string
{
    return trim(strip_tags($text));
}
function wp_specialchars_decode(string $text, int $quotes = ENT_NOQUOTES): string
{
    return htmlspecialchars_decode($text, $quotes);
}
function wp_unslash(mixed $value): mixed
{
    return is_array($value) ? array_map('wp_unslash', $value) : (is_string($value) ? stripslashes($value) : $value);
}
function wp_json_encode(mixed $value): string|false
{
    return json_encode($value);
}
function wp_parse_url(string $url): array|false
{
    return parse_url($url);
}
function untrailingslashit(string $text): string
{
    return rtrim($text, '/\\');
}

function home_url(): string
{
    return getenv('SHOP_URL');
}
function admin_url(string $path = ''): string
{
    return home_url() . "/wp-admin/$path";
}
function plugins_url(string $path, string $file): string
{
    return home_url() . '/wp-content/plugins/' . basename(dirname($file)) . "/$path";
}
function plugin_basename(string $file): string
{
    return basename(dirname($file)) . '/' . basename($file);
}
function get_bloginfo(string $what): string
{
    return 'Tea &amp; Things';
}
function load_plugin_textdomain(string $domain, bool $old, string $path): bool
{
    return false;
}

/** The current user: a header with the name stands for the cookie of a signed-in user. */
function current_user_can(string $capability): bool
{
    return ($_SERVER['HTTP_X_USER'] ?? '') === 'merchant' && $capability === 'manage_woocommerce';
}
function wp_create_nonce(string $action): string
{
    return substr(hash_hmac('sha256', $action . ($_SERVER['HTTP_X_USER'] ?? ''), 'nonce salt'), 0, 10);
}
function check_ajax_referer(string $action): void
{
    if (!hash_equals(wp_create_nonce($action), (string) ($_REQUEST['_ajax_nonce'] ?? ''))) {
        http_response_code(403);
        exit('-1');
    }
}
function wp_send_json_success(mixed $data): never
{
    exit(json_encode(['success' => true, 'data' => $data]));
}
function wp_send_json_error(mixed $data, int $status): never
{
    http_response_code($status);
    exit(json_encode(['success' => false]));
}
function status_header(int $status): void
{
    http_response_code($status);
}
function nocache_headers(): void
{
    header('Cache-Control: no-cache, must-revalidate, max-age=0, no-store, private');
}

$scripts = [];
function wp_register_script(string $name, string $url, array $needs, string $version, bool $inFooter): bool
{
    global $scripts;
    $scripts[$name] = $url;
    return true;
}
function wp_enqueue_script(string $name, string $url, array $needs, string $version, bool $inFooter): void
{
    wp_register_script($name, $url, $needs, $version, $inFooter);
}

function wp_schedule_single_event(int $at, string $hook, array $arguments): bool
{
    return update_option('cron', [...get_option('cron', []), [$at, $hook, $arguments]]);
}
function wp_unschedule_hook(string $hook): int
{
    $left = array_filter(get_option('cron', []), static fn (array $event): bool => $event[1] !== $hook);
    update_option('cron', array_values($left));
    return 0;
}

foreach (['_POST', '_GET', '_REQUEST', '_SERVER'] as $name) {
    $GLOBALS[$name] = array_map(static fn ($value) => is_string($value) ? addslashes($value) : $value, $GLOBALS[$name]);
}

// A polyfill that WordPress has, for versions of PHP without this function.
if (!function_exists('mb_substr')) {
    function mb_substr(string $text, int $start, ?int $length = null): string
    {
        preg_match_all('/./us', $text, $characters);
        return implode('', array_slice($characters[0], $start, $length));
    }
}
