<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/**
 * Lets one request at a time process an order. The lock is a row of the options table, whose names are unique. `add_option`
 * is no lock, because it overwrites a row that another request has just inserted.
 */
final class OrderLock
{
    /** Longer than any request to the gateway: a lock this old belongs to a request that crashed. */
    private const HELD_SECONDS = 90;
    private const WAIT_SECONDS = 8;
    private const LOOK_EVERY_MICROSECONDS = 50_000;

    private function __construct(private string $name, private string $value)
    {
    }

    /** Runs `$work` with the lock; throws OrderBusy if the lock is not free in time. */
    public static function with(int $orderId, callable $work): mixed
    {
        $lock = self::take('nano_gateway_lock_' . $orderId);
        try {
            return $work($lock);
        } finally {
            $lock->release();
        }
    }

    /** Call it after waiting for the gateway and before writing: it throws if another request has taken over an expired lock. */
    public function keep(): void
    {
        $renewed = self::newValue();
        if (!self::replace($this->name, $this->value, $renewed)) {
            throw new OrderBusy('The lock of the order was lost.');
        }
        $this->value = $renewed;
    }

    private static function take(string $name): self
    {
        global $wpdb;
        $until = microtime(true) + self::WAIT_SECONDS;
        do {
            $value = self::newValue();
            $insert = "INSERT IGNORE INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')";
            if ($wpdb->query($wpdb->prepare($insert, $name, $value)) === 1) {
                return new self($name, $value);
            }
            $held = $wpdb->get_var($wpdb->prepare("SELECT option_value FROM {$wpdb->options} WHERE option_name = %s", $name));
            if ($held !== null && (int) $held < time() && self::replace($name, $held, $value)) {
                return new self($name, $value);
            }
            usleep(self::LOOK_EVERY_MICROSECONDS);
        } while (microtime(true) < $until);
        throw new OrderBusy('Another request works at this order.');
    }

    private static function replace(string $name, string $old, string $new): bool
    {
        global $wpdb;
        $update = "UPDATE {$wpdb->options} SET option_value = %s WHERE option_name = %s AND option_value = %s";
        return $wpdb->query($wpdb->prepare($update, $new, $name, $old)) === 1;
    }

    /** When the lock expires, and a random owner. */
    private static function newValue(): string
    {
        return (time() + self::HELD_SECONDS) . ':' . bin2hex(random_bytes(8));
    }

    private function release(): void
    {
        global $wpdb;
        $delete = "DELETE FROM {$wpdb->options} WHERE option_name = %s AND option_value = %s";
        $wpdb->query($wpdb->prepare($delete, $this->name, $this->value));
    }
}
