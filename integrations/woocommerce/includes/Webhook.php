<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** Receives webhooks. A genuine event only triggers a look at the checkout; its contents are not used. */
final class Webhook
{
    private const BODY_BYTES_MAX = 1_000_000;

    public static function answer(): never
    {
        [$status, $text] = self::take();
        nocache_headers();
        status_header($status);
        header('Content-Type: text/plain; charset=utf-8');
        if ($status === 503) {
            header('Retry-After: 5');
        }
        echo esc_html($text);
        exit;
    }

    /** Status and text of the answer; the gateway repeats an event that is not answered with 2xx. */
    private static function take(): array
    {
        $secret = Settings::read()->webhookSecret;
        if ($secret === '') {
            return [503, 'This shop has no webhook secret yet.'];
        }
        $header = static fn (string $name): string => is_string($_SERVER[$name] ?? null) ? wp_unslash($_SERVER[$name]) : '';
        try {
            $event = verifyWebhook((string) file_get_contents('php://input', false, null, 0, self::BODY_BYTES_MAX), [
                'webhook-id' => $header('HTTP_WEBHOOK_ID'),
                'webhook-timestamp' => $header('HTTP_WEBHOOK_TIMESTAMP'),
                'webhook-signature' => $header('HTTP_WEBHOOK_SIGNATURE'),
            ], $secret);
        } catch (\RuntimeException | \JsonException | \TypeError $error) {
            return [401, $error instanceof \RuntimeException ? $error->getMessage() : 'The body is no event.'];
        }
        if (($event['type'] ?? '') === 'ping') {
            return [200, 'pong'];
        }
        $checkoutId = $event['checkout_id'] ?? null;
        $orderId = $event['metadata']['order_id'] ?? null;
        if (!is_string($checkoutId) || !is_string($orderId) || !ctype_digit($orderId)) {
            return [200, 'not of this shop'];
        }
        try {
            return [200, Settle::look((int) $orderId, $checkoutId)];
        } catch (OrderBusy $busy) {
            return [503, 'busy'];
        } catch (GatewayError $error) {
            Settle::log("order $orderId, checkout $checkoutId: " . $error->getMessage());
            return $error->status === 404 ? [200, 'unknown'] : [503, 'the gateway could not be asked'];
        }
    }
}
