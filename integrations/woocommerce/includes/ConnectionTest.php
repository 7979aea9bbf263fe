<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** Tests the saved settings and describes what is wrong with them. */
final class ConnectionTest
{
    public const ACTION = 'nano_gateway_test';
    /** The id of no checkout: a request for it shows only whether the key has the right. */
    private const NO_CHECKOUT = '0000000000000000';

    public static function answer(): never
    {
        check_ajax_referer(self::ACTION);
        if (!current_user_can('manage_woocommerce')) {
            wp_send_json_error(null, 403);
        }
        wp_send_json_success(self::run());
        exit;
    }

    /** Lines for the merchant, each with `good` and `text`. Ends after a failure that makes the other tests pointless. */
    private static function run(): array
    {
        $settings = Settings::read();
        $missing = $settings->missing();
        if ($missing !== []) {
            /* translators: %s: names of settings */
            return [self::bad(sprintf(__('Not set yet: %s.', 'nano-gateway'), implode(', ', $missing)))];
        }
        $api = $settings->api();
        try {
            if (!isset($api->get('/api/checkouts?limit=1')['checkouts'])) {
                throw new GatewayError(__('The server there is not a nano gateway.', 'nano-gateway'));
            }
        } catch (GatewayError $error) {
            return [self::bad(self::wordsFor($error))];
        }
        return [
            self::good(__('The gateway responds and accepts the key.', 'nano-gateway')),
            self::refunds($api),
            self::checkout($api, $settings),
            self::webhook($api),
        ];
    }

    private static function wordsFor(GatewayError $error): string
    {
        return match (true) {
            /* translators: %s: what went wrong */
            $error->status === 0 => sprintf(__('The gateway cannot be reached at this URL: %s', 'nano-gateway'), $error->getMessage()),
            /* translators: %s: words of the gateway */
            $error->status === 401 => sprintf(__('The secret key is wrong: %s', 'nano-gateway'), $error->getMessage()),
            /* translators: %s: name of a scope */
            $error->word === 'missing_scope' => sprintf(__('The key lacks the scope %s. Create a key that has it.', 'nano-gateway'), $error->scope),
            /* translators: %s: words of the gateway */
            default => sprintf(__('The gateway refused: %s', 'nano-gateway'), $error->getMessage()),
        };
    }

    private static function refunds(Api $api): array
    {
        try {
            $api->get('/api/checkouts/' . self::NO_CHECKOUT . '/refunds');
        } catch (GatewayError $error) {
            if ($error->status !== 404) {
                return self::bad(__('Refunds from orders will not work.', 'nano-gateway') . ' ' . self::wordsFor($error));
            }
        }
        return self::good(__('The key may refund orders.', 'nano-gateway'));
    }

    /** Creates a checkout as an order would, and cancels it, so that the gateway checks address, currency, mode and links. */
    private static function checkout(Api $api, Settings $settings): array
    {
        $fields = [
            ...OpenCheckout::shared($settings),
            'amount' => '10',
            'currency' => get_woocommerce_currency(),
            'title' => 'WooCommerce: connection test',
            'expire' => '5 minutes',
            'success_url' => home_url(),
        ];
        try {
            $made = $api->post('/api/checkouts', $fields, 'woo-test-' . bin2hex(random_bytes(16)));
            $api->delete('/api/checkouts/' . rawurlencode((string) ($made['id'] ?? '')));
        } catch (GatewayError $error) {
            return self::bad(__('No order can be paid.', 'nano-gateway') . ' ' . self::wordsFor($error));
        }
        /* translators: %s: currency */
        return self::good(sprintf(__('An order in %s can be paid to your address.', 'nano-gateway'), get_woocommerce_currency()));
    }

    /** Asks the gateway for a test event to this address, signed like those of payments. */
    private static function webhook(Api $api): array
    {
        try {
            $pinged = $api->post('/api/webhooks/ping', ['url' => Settings::webhookUrl()], 'woo-ping-' . bin2hex(random_bytes(16)), 30);
        } catch (GatewayError $error) {
            return self::bad(__('The webhook could not be tested.', 'nano-gateway') . ' ' . self::wordsFor($error));
        }
        $attempt = $pinged['event']['deliveries'][0]['attempts'][0] ?? [];
        $status = (int) ($attempt['status'] ?? 0);
        if ($status === 200) {
            return self::good(__('A test event arrived, and the webhook secret is correct.', 'nano-gateway'));
        }
        if ($status === 401) {
            return self::bad(__('The webhook secret is wrong: the gateway signed its test event with a different one.', 'nano-gateway'));
        }
        $what = $status !== 0 ? "HTTP $status" : (string) ($attempt['error'] ?? '?');
        /* translators: 1: address, 2: what went wrong */
        $words = __('The gateway cannot deliver webhooks to %1$s: %2$s', 'nano-gateway');
        return self::bad(sprintf($words, Settings::webhookUrl(), sanitize_text_field($what)));
    }

    private static function good(string $text): array
    {
        return ['good' => true, 'text' => $text];
    }

    private static function bad(string $text): array
    {
        return ['good' => false, 'text' => $text];
    }
}
