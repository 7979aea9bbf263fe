<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** Refunds what was paid for an order. */
final class Refund
{
    private const TIMEOUT_SECONDS = 40;

    /** True if the gateway has accepted the refund; otherwise its error, and no money was sent. */
    public static function give(int $orderId, ?string $amount): bool|\WP_Error
    {
        try {
            return OrderLock::with($orderId, static fn (OrderLock $lock): bool|\WP_Error => self::ask($orderId, $amount, $lock));
        } catch (OrderBusy $busy) {
            return new \WP_Error('nano_gateway_busy', __('Another request is processing this order. Try again in a moment.', 'nano-gateway'));
        } catch (GatewayError $error) {
            return new \WP_Error('nano_gateway_' . $error->word, self::words($error));
        }
    }

    private static function ask(int $orderId, ?string $amount, OrderLock $lock): bool|\WP_Error
    {
        $facts = OrderFacts::find($orderId);
        $id = $facts?->fundedBy();
        if ($facts === null || $id === null) {
            return new \WP_Error('nano_gateway_unpaid', __('This order was not paid with nano.', 'nano-gateway'));
        }
        $fields = self::fields($facts, $amount);
        // Made of order, amount and the number of earlier refunds: a repetition after a lost answer is the same refund.
        $key = 'woo-refund-' . hash('sha256', implode(' ', [$facts->secret(), $id, wp_json_encode($fields), count($facts->refunds())]));
        $path = '/api/checkouts/' . rawurlencode($id) . '/refunds';
        $refund = Settings::read()->api()->post($path, $fields, $key, self::TIMEOUT_SECONDS);
        $refundId = sanitize_text_field((string) ($refund['id'] ?? ''));
        $lock->keep();
        $facts->addRefund($refundId);
        /* translators: 1: id of a refund, 2: amount, 3: address */
        $words = __('Refund %1$s of %2$s nano is on its way to %3$s.', 'nano-gateway');
        $said = array_map(static fn (string $name): string => sanitize_text_field((string) ($refund[$name] ?? '?')), ['amount', 'address']);
        $facts->order->add_order_note(sprintf($words, $refundId, ...$said));
        return true;
    }

    /** A full refund returns exactly what was paid, to the last raw; a part is converted at the rate of the payment. */
    private static function fields(OrderFacts $facts, ?string $amount): array
    {
        $reason = ['reason' => 'WooCommerce ' . $facts->order->get_order_number()];
        $part = $amount === null ? null : (string) wc_format_decimal($amount, wc_get_price_decimals());
        if ($part === null || $part === $facts->total()) {
            return $reason;
        }
        $isNano = in_array($facts->order->get_currency(), ['NANO', 'XNO'], true);
        return [($isNano ? 'amount' : 'fiat_amount') => $part, ...$reason];
    }

    private static function words(GatewayError $error): string
    {
        $more = match ($error->word) {
            'refund_address_required', 'refund_source_required' =>
                __('You can do that on the checkout’s page in the gateway’s dashboard.', 'nano-gateway'),
            'missing_scope' => __('Give the key of this shop the scope refunds.', 'nano-gateway'),
            'unreachable' => __('It is not known whether the refund was sent. Request the same amount again: it is sent only once.', 'nano-gateway'),
            default => '',
        };
        return trim($error->getMessage() . ' ' . $more);
    }
}
