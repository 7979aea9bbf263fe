<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** Creates the checkout of an order, or returns the one that is still open. */
final class OpenCheckout
{
    private const EVENTS = ['payment.partial', 'payment.late', 'checkout.expired', 'refund.sent', 'refund.failed', 'refund.claimed'];
    /** A checkout with less time left is too short for a customer who opens it now. */
    private const SECONDS_LEFT_MIN = 60;
    private const TITLE_MAX = 120;

    /** The page on which the order is paid; null if it is already paid, or if a payment of an earlier price is on its way. */
    public static function forOrder(int $orderId, string $returnUrl): ?string
    {
        return OrderLock::with($orderId, static function (OrderLock $lock) use ($orderId, $returnUrl): ?string {
            $facts = OrderFacts::find($orderId) ?? throw new OrderBusy('No such order.');
            $earlier = $facts->newestCheckout();
            if ($earlier !== null) {
                $page = self::earlierPage($facts, $earlier, $lock);
                if ($page !== '') {
                    return $page;
                }
            }
            return self::make($facts, $returnUrl, $lock);
        });
    }

    /** The page of the previous checkout; null if that is paid or being paid; empty if a new one is needed. */
    private static function earlierPage(OrderFacts $facts, string $id, OrderLock $lock): ?string
    {
        try {
            $checkout = Settle::ask($id);
        } catch (GatewayError $error) {
            if ($error->status === 404) {
                return '';
            }
            throw $error;
        }
        $lock->keep();
        Settle::bring($facts, $id, $checkout);
        $status = (string) ($checkout['status'] ?? '');
        $isOpen = in_array($status, ['pending', 'detected', 'partial'], true);
        $isPaidLate = ($checkout['additional_status'] ?? '') === 'paid_late';
        if (!$isOpen) {
            return $status === 'complete' || $isPaidLate || ($checkout['amount_paid_raw'] ?? '0') !== '0' ? null : '';
        }
        $hasTime = (int) ($checkout['expires_unix'] ?? 0) - time() >= self::SECONDS_LEFT_MIN;
        if ($facts->costs($checkout) && ($hasTime || $status !== 'pending')) {
            return self::pageOf($checkout);
        }
        if ($status !== 'pending') {
            return null;
        }
        // The earlier price must not be paid any more. If it is paid all the same, the merchant is notified.
        Settings::read()->api()->delete('/api/checkouts/' . rawurlencode($id));
        return '';
    }

    private static function make(OrderFacts $facts, string $returnUrl, OrderLock $lock): string
    {
        $settings = Settings::read();
        $order = $facts->order;
        /* translators: 1: number of an order, 2: name of the shop */
        $title = sprintf(__('Order %1$s, %2$s', 'nano-gateway'), $order->get_order_number(), wp_specialchars_decode(get_bloginfo('name'), ENT_QUOTES));
        $fields = [
            ...self::shared($settings),
            'amount' => $facts->total(),
            'currency' => $order->get_currency(),
            'title' => mb_substr(wp_strip_all_tags($title), 0, self::TITLE_MAX),
            'expire' => $settings->minutes . ' minutes',
            'metadata' => ['order_id' => (string) $order->get_id(), 'order_key' => $facts->secret(), 'shop' => home_url()],
            'success_url' => $returnUrl,
            'cancel_url' => $order->get_checkout_payment_url(),
        ];
        // Made of the order, its price and the number of its checkouts: a repeated click after a lost answer finds the same checkout.
        $key = 'woo-' . hash('sha256', count($facts->checkouts()) . wp_json_encode($fields));
        $made = $settings->api()->post('/api/checkouts', $fields, $key);
        if (preg_match('/^[0-9a-f]{16}$/', (string) ($made['id'] ?? '')) !== 1 || !is_string($made['address'] ?? null)) {
            throw new GatewayError(__('The gateway did not return a checkout.', 'nano-gateway'));
        }
        $lock->keep();
        $facts->addCheckout($made['id'], $made['address']);
        // Looks once more when the checkout has expired, in case no webhook arrives.
        wp_schedule_single_event((int) ($made['expires_unix'] ?? time()) + 120, 'nano_gateway_look', [$order->get_id()]);
        return self::pageOf($made);
    }

    /** The fields that all checkouts of the shop have. */
    public static function shared(Settings $settings): array
    {
        return [
            'address' => $settings->address,
            'mode' => $settings->mode,
            'webhook_url' => Settings::webhookUrl(),
            'webhook_events' => self::EVENTS,
        ];
    }

    private static function pageOf(array $checkout): string
    {
        $page = esc_url_raw((string) ($checkout['browser'] ?? ''), ['https', 'http']);
        return $page !== '' ? $page : throw new GatewayError(__('The gateway did not return a payment page.', 'nano-gateway'));
    }
}
