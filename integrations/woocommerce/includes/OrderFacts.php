<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** An order and what is known about its payment, which is in its meta data. Read it while holding the lock of the order. */
final class OrderFacts
{
    private const SECRET = '_nano_gateway_secret';
    private const CHECKOUTS = '_nano_gateway_checkouts';
    private const PAID = '_nano_gateway_paid';
    private const HELD = '_nano_gateway_held';
    private const SAID = '_nano_gateway_said';
    private const REFUNDS = '_nano_gateway_refunds';

    private function __construct(public readonly \WC_Order $order)
    {
    }

    public static function find(int $orderId): ?self
    {
        $known = $orderId > 0 ? wc_get_order($orderId) : null;
        return $known instanceof \WC_Order ? new self(self::readAgain($known)) : null;
    }

    /** Reads past the caches, because another request may have written since. An order is a post, or a row in a table of orders. */
    private static function readAgain(\WC_Order $known): \WC_Order
    {
        $id = $known->get_id();
        clean_post_cache($id);
        $store = $known->get_data_store();
        if ($store->has_callable('clear_cached_data')) {
            $store->clear_cached_data([$id]);
        }
        $order = new \WC_Order($id);
        $order->read_meta_data(true);
        return $order;
    }

    /** Known only to the gateway and this order: a checkout must contain it to belong to the order. */
    public function secret(): string
    {
        $secret = (string) $this->order->get_meta(self::SECRET);
        if ($secret === '') {
            $secret = bin2hex(random_bytes(16));
            $this->order->update_meta_data(self::SECRET, $secret);
            $this->order->save();
        }
        return $secret;
    }

    /** The price as a text with the decimals of the shop. */
    public function total(): string
    {
        return (string) wc_format_decimal($this->order->get_total(), wc_get_price_decimals());
    }

    /** Checkouts created for this order, oldest first, each with `id` and `address`. */
    public function checkouts(): array
    {
        return $this->listOf(self::CHECKOUTS);
    }

    public function newestCheckout(): ?string
    {
        $checkouts = $this->checkouts();
        return $checkouts === [] ? null : end($checkouts)['id'];
    }

    public function addCheckout(string $id, string $address): void
    {
        $others = array_filter($this->checkouts(), static fn (array $known): bool => $known['id'] !== $id);
        $this->keep(self::CHECKOUTS, [...$others, ['id' => $id, 'address' => $address]]);
    }

    public function knows(string $id): bool
    {
        return $this->addressOf($id) !== null;
    }

    private function addressOf(string $id): ?string
    {
        foreach ($this->checkouts() as $known) {
            if ($known['id'] === $id) {
                return $known['address'];
            }
        }
        return null;
    }

    /**
     * Whether a checkout of the gateway belongs to this order: created for it, with its secret, to be paid to the stored address.
     * Nobody can create one who knows only the number of the order.
     */
    public function owns(string $id, array $checkout): bool
    {
        $metadata = is_array($checkout['metadata'] ?? null) ? $checkout['metadata'] : [];
        $given = $metadata['order_key'] ?? null;
        return ($checkout['id'] ?? null) === $id
            && ($metadata['order_id'] ?? null) === (string) $this->order->get_id()
            && is_string($given)
            && hash_equals($this->secret(), $given)
            && ($checkout['address'] ?? '') === $this->addressOf($id);
    }

    /** Whether the price of a checkout is what the order costs now. */
    public function costs(array $checkout): bool
    {
        $plain = static fn (string $text): string => str_contains($text, '.') ? rtrim(rtrim($text, '0'), '.') : $text;
        $currency = (string) ($checkout['currency'] ?? '');
        return ($currency === 'NANO' ? in_array($this->order->get_currency(), ['NANO', 'XNO'], true) : $currency === $this->order->get_currency())
            && is_string($checkout['price'] ?? null)
            && $plain($checkout['price']) === $plain($this->total());
    }

    public function paidBy(): string
    {
        return (string) $this->order->get_meta(self::PAID);
    }

    /** Written by the next save of the order. */
    public function setPaidBy(string $id): void
    {
        $this->order->update_meta_data(self::PAID, $id);
    }

    /** The checkout that received money: the one to refund. */
    public function fundedBy(): ?string
    {
        return $this->paidBy() ?: (string) $this->order->get_meta(self::HELD) ?: $this->newestCheckout();
    }

    public function refunds(): array
    {
        return $this->listOf(self::REFUNDS);
    }

    public function addRefund(string $refundId): void
    {
        $this->keep(self::REFUNDS, [...$this->refunds(), $refundId]);
    }

    public function hasSaid(string $what): bool
    {
        return in_array($what, $this->listOf(self::SAID), true);
    }

    /** Adds a note for the merchant, only once for each `$what`. */
    public function sayOnce(string $what, string $note): void
    {
        if (!$this->hasSaid($what)) {
            // In this order, so that a crash in between repeats the note instead of losing it.
            $this->order->add_order_note($note);
            $this->keep(self::SAID, [...$this->listOf(self::SAID), $what]);
        }
    }

    /** Puts an unpaid order on hold for the merchant, once for each reason; `$id` is the checkout that received money. */
    public function holdOnce(string $what, string $id, string $note): void
    {
        if ($this->hasSaid($what)) {
            return;
        }
        $this->order->update_meta_data(self::HELD, $id);
        if ($this->order->has_status(['pending', 'failed', 'cancelled'])) {
            $this->order->update_status('on-hold');
        }
        $this->sayOnce($what, $note);
    }

    private function listOf(string $name): array
    {
        $list = $this->order->get_meta($name);
        return is_array($list) ? $list : [];
    }

    private function keep(string $name, array $list): void
    {
        $this->order->update_meta_data($name, $list);
        $this->order->save();
    }
}
