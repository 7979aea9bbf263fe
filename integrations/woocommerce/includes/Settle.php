<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/**
 * Updates an order from the state of its checkout. A webhook, a returning payer and the clock only trigger a look: the only
 * trusted source is the checkout as the gateway returns it to the secret key.
 */
final class Settle
{
    private const LOOKED_AT_MAX = 5;

    /** Looks at a checkout, as often as called; a payment completes its order only once. Returns a word for the result. */
    public static function look(int $orderId, string $checkoutId): string
    {
        return OrderLock::with($orderId, static function (OrderLock $lock) use ($orderId, $checkoutId): string {
            $facts = OrderFacts::find($orderId);
            if ($facts === null || !$facts->knows($checkoutId)) {
                return 'unknown';
            }
            $checkout = self::ask($checkoutId);
            $lock->keep();
            return self::bring($facts, $checkoutId, $checkout);
        });
    }

    /** For callers that only check for news of an unpaid order: errors are logged, and the next look may succeed. */
    public static function lookQuietly(int $orderId): void
    {
        $order = wc_get_order($orderId);
        if ($order instanceof \WC_Order && $order->get_payment_method() === Settings::ID && !$order->is_paid()) {
            self::lookAtAll($orderId);
        }
    }

    /** Looks at all checkouts of an order, also those for earlier prices. */
    public static function lookAtAll(int $orderId): void
    {
        try {
            foreach (array_slice(OrderFacts::find($orderId)?->checkouts() ?? [], -self::LOOKED_AT_MAX) as $known) {
                self::look($orderId, $known['id']);
            }
        } catch (GatewayError | OrderBusy $error) {
            self::log("order $orderId: " . $error->getMessage());
        }
    }

    /** The checkout as the gateway shows it to its merchant. */
    public static function ask(string $checkoutId): array
    {
        $shown = Settings::read()->api()->get('/api/checkouts/' . rawurlencode($checkoutId));
        return is_array($shown['checkout'] ?? null) ? $shown['checkout'] : [];
    }

    /** Call it with the lock of the order. */
    public static function bring(OrderFacts $facts, string $id, array $checkout): string
    {
        if (!$facts->owns($id, $checkout)) {
            /* translators: %s: id of a checkout */
            $words = __('Checkout %s at the gateway does not match this order. Nothing was changed: please check it.', 'nano-gateway');
            $facts->sayOnce("foreign:$id", sprintf($words, $id));
            return 'foreign';
        }
        self::tellRefunds($facts, $checkout);
        $status = (string) ($checkout['status'] ?? '');
        $isEnded = in_array($status, ['expired', 'cancelled'], true);
        $isPaidInPart = ($checkout['amount_paid_raw'] ?? '0') !== '0';
        if ($status === 'complete') {
            return self::complete($facts, $id, $checkout);
        }
        if ($isEnded && ($checkout['additional_status'] ?? '') === 'paid_late') {
            return self::late($facts, $id);
        }
        if ($isPaidInPart && ($isEnded || $status === 'partial')) {
            return self::partly($facts, $id, $checkout);
        }
        return $isEnded ? self::ended($facts, $id) : 'waiting';
    }

    private static function complete(OrderFacts $facts, string $id, array $checkout): string
    {
        $order = $facts->order;
        $hash = is_string($checkout['block_hash'] ?? null) ? $checkout['block_hash'] : $id;
        if ($facts->paidBy() === $id) {
            return 'paid already';
        }
        // The merchant was asked to decide on this payment; nothing decides it here, also if the event comes again.
        if ($facts->hasSaid("after-cancel:$id") || $facts->hasSaid("other-price:$id")) {
            return 'held';
        }
        if ($order->is_paid() || $order->has_status('refunded')) {
            return self::again($facts, $id, $hash);
        }
        $amount = self::amountPaid($checkout);
        if (!$facts->costs($checkout)) {
            /* translators: 1: amount, 2: price, 3: price */
            $words = __('%1$s nano was paid for a checkout of %2$s, but the order costs %3$s. Accept the payment, or refund it.', 'nano-gateway');
            $asked = sanitize_text_field(($checkout['price'] ?? '?') . ' ' . ($checkout['currency'] ?? ''));
            $facts->holdOnce("other-price:$id", $id, sprintf($words, $amount, $asked, $facts->total() . ' ' . $order->get_currency()));
            return 'held';
        }
        if (($checkout['amount_refunded_raw'] ?? '0') !== '0') {
            /* translators: %s: amount */
            $words = __('%s nano was paid, and all or part of it was refunded at the gateway. Complete or cancel the order manually.', 'nano-gateway');
            $facts->holdOnce("refunded:$id", $id, sprintf($words, $amount));
            return 'held';
        }
        if (!$order->has_status(['pending', 'on-hold', 'failed'])) {
            /* translators: 1: amount, 2: status of an order */
            $words = __('%1$s nano was paid after this order had become "%2$s". Accept the payment, or refund it.', 'nano-gateway');
            $facts->holdOnce("after-cancel:$id", $id, sprintf($words, $amount, $order->get_status()));
            return 'held';
        }
        return self::pay($facts, $id, $hash, $amount);
    }

    private static function pay(OrderFacts $facts, string $id, string $hash, string $amount): string
    {
        $order = $facts->order;
        // Saved together with the status, so that there is never only one of the two.
        $facts->setPaidBy($id);
        if ($order->get_payment_method() !== Settings::ID) {
            $order->set_payment_method(Settings::ID);
            $order->set_payment_method_title(Settings::read()->title);
        }
        if (!$order->payment_complete($hash)) {
            throw new OrderBusy('The order could not be completed.');
        }
        /* translators: 1: amount, 2: id of a checkout, 3: hash of a block */
        $words = __('%1$s nano was paid (checkout %2$s, block %3$s).', 'nano-gateway');
        $order->add_order_note(sprintf($words, $amount, $id, $hash));
        return 'paid';
    }

    /** The order is already paid: by a request that crashed before it had written everything, by the merchant, or by another payment. */
    private static function again(OrderFacts $facts, string $id, string $hash): string
    {
        if ($facts->order->get_transaction_id() === $hash || $facts->hasSaid("late:$id")) {
            $facts->setPaidBy($id);
            $facts->order->save();
            return 'paid already';
        }
        /* translators: %s: id of a checkout */
        $words = __('This order was already paid, and checkout %s paid it again. Refund it in the gateway’s dashboard.', 'nano-gateway');
        $facts->sayOnce("again:$id", sprintf($words, $id));
        return 'paid twice';
    }

    private static function late(OrderFacts $facts, string $id): string
    {
        /* translators: %s: id of a checkout */
        $words = __('Checkout %s was paid after it had expired. Accept the payment by marking the checkout as paid in the gateway’s dashboard, or refund it.', 'nano-gateway');
        $facts->holdOnce("late:$id", $id, sprintf($words, $id));
        return 'held';
    }

    private static function partly(OrderFacts $facts, string $id, array $checkout): string
    {
        /* translators: 1: amount, 2: amount */
        $words = __('%1$s of %2$s nano was paid. The order is waiting for the rest.', 'nano-gateway');
        $asked = sanitize_text_field((string) ($checkout['amount'] ?? '?'));
        $facts->holdOnce("part:$id:" . $checkout['amount_paid_raw'], $id, sprintf($words, self::amountPaid($checkout), $asked));
        if ($checkout['status'] !== 'partial') {
            $facts->sayOnce("part-ended:$id", __('The time to pay the rest is up. Refund what was paid, or request the rest.', 'nano-gateway'));
        }
        return 'held';
    }

    /** Expired unpaid. A later checkout or another payment method keeps the order open. Cancels it as WooCommerce does, without a mail. */
    private static function ended(OrderFacts $facts, string $id): string
    {
        $order = $facts->order;
        if (!$order->has_status('pending') || $facts->newestCheckout() !== $id || $order->get_payment_method() !== Settings::ID) {
            return 'ended';
        }
        /* translators: %s: id of a checkout */
        $order->update_status('cancelled', sprintf(__('Checkout %s ended unpaid.', 'nano-gateway'), $id));
        return 'ended';
    }

    private static function tellRefunds(OrderFacts $facts, array $checkout): void
    {
        $words = [
            /* translators: 1: amount, 2: id of a refund */
            'sent' => __('Refund %2$s of %1$s nano has arrived.', 'nano-gateway'),
            /* translators: 1: amount, 2: id of a refund */
            'claimed' => __('Refund %2$s of %1$s nano was claimed by the customer.', 'nano-gateway'),
            /* translators: 1: amount, 2: id of a refund */
            'failed' => __('Refund %2$s of %1$s nano FAILED: no money was sent. Delete it from this order and try again.', 'nano-gateway'),
        ];
        foreach (is_array($checkout['refunds'] ?? null) ? $checkout['refunds'] : [] as $refund) {
            $status = (string) ($refund['status'] ?? '');
            $id = sanitize_text_field((string) ($refund['id'] ?? ''));
            if (!isset($words[$status]) || $id === '') {
                continue;
            }
            $note = sprintf($words[$status], sanitize_text_field((string) ($refund['amount'] ?? '?')), $id);
            if (!in_array($id, $facts->refunds(), true)) {
                $note .= ' ' . __('It was not made from this order, so the order does not count it.', 'nano-gateway');
            }
            $facts->sayOnce("refund:$id:$status", $note);
        }
    }

    private static function amountPaid(array $checkout): string
    {
        return sanitize_text_field((string) ($checkout['amount_paid'] ?? '?'));
    }

    public static function log(string $text): void
    {
        wc_get_logger()->warning($text, ['source' => 'nano-gateway']);
    }
}
