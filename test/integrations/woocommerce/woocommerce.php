<?php

/* The parts of WooCommerce that the plug-in uses: orders with meta data and notes, the settings of a gateway, and the registries. */

declare(strict_types=1);

namespace Automattic\WooCommerce\Utilities {
    final class FeaturesUtil
    {
        public static array $declared = [];
        public static function declare_compatibility(string $feature, string $file, bool $isCompatible): bool
        {
            self::$declared[$feature] = $isCompatible;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];
        abstract public function initialize();
        public function get_name()
        {
            return $this->name;
        }
    }
}

namespace {
    class WC_Order
    {
        private array $row;
        private array $changes = [];
        private array $meta = [];
        private array $changedMeta = [];

        public function __construct(int $id)
        {
            $wpdb = shop_store();
            $this->row = $wpdb->pdo->query("SELECT * FROM orders WHERE id = $id")->fetch(PDO::FETCH_ASSOC) ?: throw new Exception('Invalid order.');
            $this->read_meta_data(true);
        }
        public function get_data_store(): object
        {
            return new class {
                public function has_callable(string $method): bool
                {
                    return $method === 'clear_cached_data';
                }
                public function clear_cached_data(array $ids): bool
                {
                    return true;
                }
            };
        }
        public function read_meta_data(bool $force = false): void
        {
            $wpdb = shop_store();
            $rows = $wpdb->pdo->query("SELECT name, value FROM order_meta WHERE order_id = {$this->row['id']}")->fetchAll(PDO::FETCH_KEY_PAIR);
            $this->meta = array_map(unserialize(...), $rows);
            $this->changedMeta = [];
        }
        private function get(string $name): string
        {
            return (string) ($this->changes[$name] ?? $this->row[$name]);
        }
        public function get_id(): int
        {
            return (int) $this->row['id'];
        }
        public function get_order_number(): string
        {
            return (string) $this->row['id'];
        }
        public function get_total(): string
        {
            return $this->get('total');
        }
        public function set_total(string $total): void
        {
            $this->changes['total'] = $total;
        }
        public function get_currency(): string
        {
            return $this->get('currency');
        }
        public function get_status(): string
        {
            return $this->get('status');
        }
        public function has_status(string|array $status): bool
        {
            return in_array($this->get_status(), (array) $status, true);
        }
        public function is_paid(): bool
        {
            return $this->has_status(['processing', 'completed']);
        }
        public function get_payment_method(): string
        {
            return $this->get('payment_method');
        }
        public function set_payment_method(string $method): void
        {
            $this->changes['payment_method'] = $method;
        }
        public function set_payment_method_title(string $title): void
        {
        }
        public function get_transaction_id(): string
        {
            return $this->get('transaction_id');
        }
        public function get_checkout_payment_url(): string
        {
            return home_url() . "/checkout/order-pay/{$this->row['id']}/?pay_for_order=true&key=wc_order_1";
        }
        public function get_checkout_order_received_url(): string
        {
            return home_url() . "/checkout/order-received/{$this->row['id']}/?key=wc_order_1";
        }
        public function get_meta(string $name): mixed
        {
            return $this->changedMeta[$name] ?? $this->meta[$name] ?? '';
        }
        public function update_meta_data(string $name, mixed $value): void
        {
            $this->changedMeta[$name] = $value;
        }
        /** Writes only what was changed. */
        public function save(): int
        {
            $wpdb = shop_store();
            foreach ($this->changes as $name => $value) {
                $wpdb->query($wpdb->prepare("UPDATE orders SET $name = %s WHERE id = %d", $value, $this->row['id']));
            }
            foreach ($this->changedMeta as $name => $value) {
                $sql = 'INSERT INTO order_meta VALUES (%d, %s, %s) ON CONFLICT DO UPDATE SET value = excluded.value';
                $wpdb->query($wpdb->prepare($sql, $this->row['id'], $name, serialize($value)));
            }
            [$this->row, $this->meta] = [[...$this->row, ...$this->changes], [...$this->meta, ...$this->changedMeta]];
            $this->changes = $this->changedMeta = [];
            return $this->get_id();
        }
        public function add_order_note(string $text): int
        {
            $wpdb = shop_store();
            return $wpdb->query($wpdb->prepare('INSERT INTO notes (order_id, text) VALUES (%d, %s)', $this->row['id'], $text));
        }
        public function update_status(string $status, string $note = ''): bool
        {
            if ($status !== $this->get_status()) {
                $this->changes['status'] = $status;
                $this->happened("status:$status");
            }
            if ($note !== '') {
                $this->add_order_note($note);
            }
            $this->save();
            return true;
        }
        public function payment_complete(string $transactionId = ''): bool
        {
            if ($this->has_status(['on-hold', 'pending', 'failed', 'cancelled'])) {
                $this->changes['transaction_id'] = $transactionId;
                $this->changes['status'] = 'processing';
                $this->save();
                $this->happened('payment_complete');
            } else {
                $this->happened('payment_complete while ' . $this->get_status());
            }
            return true;
        }
        private function happened(string $what): void
        {
            $wpdb = shop_store();
            $wpdb->query($wpdb->prepare('INSERT INTO happened (order_id, what) VALUES (%d, %s)', $this->row['id'], $what));
        }
    }

    /** Keeps what a request has read, so that a second read may be outdated, as in WooCommerce. */
    function wc_get_order(mixed $id): WC_Order|false
    {
        static $read = [];
        try {
            return clone ($read[(int) $id] ??= new WC_Order((int) $id));
        } catch (Exception) {
            return false;
        }
    }
    function wc_get_price_decimals(): int
    {
        return 2;
    }
    function wc_format_decimal(mixed $number, int $decimals): string
    {
        return number_format((float) $number, $decimals, '.', '');
    }
    function get_woocommerce_currency(): string
    {
        return 'EUR';
    }
    $notices = [];
    function wc_add_notice(string $text, string $kind): void
    {
        global $notices;
        $notices[] = "$kind: $text";
    }
    function wc_get_logger(): object
    {
        return new class {
            public function warning(string $text, array $about): void
            {
                update_option('log', [...get_option('log', []), $text]);
            }
        };
    }
    function WC(): object
    {
        return new class {
            public function api_request_url(string $name): string
            {
                return home_url() . "/?wc-api=$name";
            }
        };
    }
    final class WC_Admin_Settings
    {
        public static array $errors = [];
        public static function add_error(string $text): void
        {
            self::$errors[] = $text;
        }
    }

    abstract class WC_Payment_Gateway
    {
        public $id;
        public $title;
        public $description;
        public $method_title;
        public $method_description;
        public $has_fields;
        public $supports = [];
        public $form_fields = [];
        public $settings = [];

        public function init_settings(): void
        {
            $defaults = array_map(static fn (array $field) => $field['default'] ?? '', $this->form_fields);
            $this->settings = [...$defaults, ...get_option("woocommerce_{$this->id}_settings", [])];
        }
        public function get_option(string $key): mixed
        {
            return $this->settings[$key] ?? '';
        }
        public function get_field_key(string $key): string
        {
            return "woocommerce_{$this->id}_$key";
        }
        public function is_available()
        {
            return $this->get_option('enabled') === 'yes';
        }
        public function get_return_url(WC_Order $order): string
        {
            return $order->get_checkout_order_received_url();
        }
        /** What a form with all fields saves: after the check of the field, else that of its type, else as a text. */
        public function process_admin_options(): bool
        {
            $this->init_settings();
            foreach ($this->form_fields as $key => $field) {
                $value = $_POST[$this->get_field_key($key)] ?? null;
                $check = array_values(array_filter(["validate_{$key}_field", "validate_{$field['type']}_field"], fn ($name) => method_exists($this, $name)))[0] ?? null;
                $this->settings[$key] = match (true) {
                    $check !== null => $this->$check($key, $value),
                    $field['type'] === 'checkbox' => $value === null ? 'no' : 'yes',
                    default => trim(stripslashes((string) $value)),
                };
            }
            return update_option("woocommerce_{$this->id}_settings", $this->settings);
        }
        public function generate_settings_html(): string
        {
            $html = '';
            foreach ($this->form_fields as $key => $field) {
                $make = "generate_{$field['type']}_html";
                $html .= method_exists($this, $make)
                    ? $this->$make($key, $field)
                    : '<input name="' . esc_attr($this->get_field_key($key)) . '" value="' . esc_attr((string) $this->get_option($key)) . '">';
            }
            return $html;
        }
    }
}
