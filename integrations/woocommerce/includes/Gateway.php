<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** Nano as a payment method of a shop. */
final class Gateway extends \WC_Payment_Gateway
{
    public function __construct()
    {
        $this->id = Settings::ID;
        $this->method_title = __('Nano', 'nano-gateway');
        $this->method_description = __('Payments in nano through a nano-gateway: your own, or one that you trust.', 'nano-gateway');
        $this->has_fields = false;
        $this->supports = ['products', 'refunds'];
        $this->init_form_fields();
        $this->init_settings();
        $settings = Settings::read();
        $this->title = $settings->title;
        $this->description = $settings->description;
        add_action('woocommerce_update_options_payment_gateways_' . $this->id, [$this, 'process_admin_options']);
    }

    public function init_form_fields(): void
    {
        $this->form_fields = [
            'enabled' => ['title' => __('Enabled', 'nano-gateway'), 'type' => 'checkbox', 'label' => __('Accept payments in nano', 'nano-gateway'), 'default' => 'no'],
            'title' => ['title' => __('Title', 'nano-gateway'), 'type' => 'text', 'default' => __('Nano', 'nano-gateway')],
            'description' => [
                'title' => __('Description', 'nano-gateway'),
                'type' => 'textarea',
                'default' => __('Pay with nano: no fees, and it arrives within a second.', 'nano-gateway'),
            ],
            'gateway_url' => [
                'title' => __('Gateway URL', 'nano-gateway'),
                'type' => 'text',
                'placeholder' => 'https://pay.example.com',
                'description' => __('Use https, unless the gateway runs on this machine.', 'nano-gateway'),
            ],
            'secret_key' => [
                'title' => __('Secret key', 'nano-gateway'),
                'type' => 'nano_secret',
                'description' => __('Begins with rpc_sk_. Create one for this shop only, with the scopes checkout, refunds and webhooks.', 'nano-gateway'),
            ],
            'webhook_secret' => [
                'title' => __('Webhook secret', 'nano-gateway'),
                'type' => 'nano_secret',
                'description' => __('The secret of your account at the gateway, whsec_…. After rotating it there, enter the new one here within 24 hours.', 'nano-gateway'),
            ],
            'address' => [
                'title' => __('Address', 'nano-gateway'),
                'type' => 'text',
                'placeholder' => 'nano_…',
                'description' => __('Where the money goes. If it is a cloud wallet of your account, you can refund orders from here.', 'nano-gateway'),
            ],
            'mode' => [
                'title' => __('Payments are matched by', 'nano-gateway'),
                'type' => 'select',
                'default' => 'unique_amount',
                'options' => [
                    'unique_amount' => __('their exact amount', 'nano-gateway'),
                    'generated_wallet' => __('a wallet for each order, which may be paid in parts', 'nano-gateway'),
                ],
            ],
            'minutes' => [
                'title' => __('Minutes to pay', 'nano-gateway'),
                'type' => 'number',
                'default' => '60',
                'custom_attributes' => ['min' => '5', 'max' => '1440'],
                'description' => __('At most as long as WooCommerce holds stock for unpaid orders, so that nobody pays for sold-out items.', 'nano-gateway'),
            ],
            'test' => ['title' => __('Test', 'nano-gateway'), 'type' => 'nano_test'],
        ];
    }

    public function is_available(): bool
    {
        return parent::is_available() && Settings::read()->missing() === [];
    }

    public function process_payment($order_id): array
    {
        $order = wc_get_order($order_id);
        try {
            $page = OpenCheckout::forOrder((int) $order_id, $this->get_return_url($order));
            if ($page !== null) {
                return ['result' => 'success', 'redirect' => $page];
            }
            if (OrderFacts::find((int) $order_id)?->order->is_paid()) {
                return ['result' => 'success', 'redirect' => $this->get_return_url($order)];
            }
            $words = __('A payment for this order has arrived or is on its way. The shop will check it.', 'nano-gateway');
        } catch (OrderBusy $busy) {
            $words = __('This order is being processed. Please try again in a moment.', 'nano-gateway');
        } catch (GatewayError $error) {
            // Errors in the settings concern the merchant, not the customer.
            Settle::log("order $order_id: no checkout: " . $error->word . ': ' . $error->getMessage());
            $words = __('Payment with nano is not available at the moment. Please try again, or choose another payment method.', 'nano-gateway');
        }
        wc_add_notice(esc_html($words), 'error');
        return ['result' => 'failure'];
    }

    public function process_refund($order_id, $amount = null, $reason = ''): bool|\WP_Error
    {
        return Refund::give((int) $order_id, $amount === null ? null : (string) $amount);
    }

    /** A field for a secret: the saved value is never sent to a browser, and an empty field keeps it. */
    public function generate_nano_secret_html(string $key, array $data): string
    {
        $name = $this->get_field_key($key);
        $isSaved = (string) $this->get_option($key) !== '';
        $hint = $isSaved ? __('Saved. Leave it empty to keep it.', 'nano-gateway') : __('Not set yet.', 'nano-gateway');
        ob_start();
        ?>
        <tr valign="top">
            <th scope="row" class="titledesc"><label for="<?php echo esc_attr($name); ?>"><?php echo esc_html($data['title']); ?></label></th>
            <td class="forminp">
                <input class="input-text regular-input" type="password" autocomplete="new-password" value=""
                    name="<?php echo esc_attr($name); ?>" id="<?php echo esc_attr($name); ?>" placeholder="<?php echo esc_attr($hint); ?>" />
                <p class="description"><?php echo esc_html($data['description']); ?></p>
            </td>
        </tr>
        <?php
        return (string) ob_get_clean();
    }

    public function validate_nano_secret_field(string $key, $value): string
    {
        $given = is_string($value) ? trim(wp_unslash($value)) : '';
        $saved = (string) $this->get_option($key);
        if ($given === '') {
            return $saved;
        }
        if (preg_match('/^[\x21-\x7e]{8,256}$/', $given) !== 1) {
            /* translators: %s: name of a setting */
            \WC_Admin_Settings::add_error(sprintf(__('%s: 8 to 256 characters, without spaces.', 'nano-gateway'), $this->form_fields[$key]['title']));
            return $saved;
        }
        return $given;
    }

    public function validate_gateway_url_field(string $key, $value): string
    {
        $given = is_string($value) ? untrailingslashit(trim(wp_unslash($value))) : '';
        if ($given !== '' && (!Settings::isSafeUrl($given) || esc_url_raw($given, ['https', 'http']) !== $given)) {
            \WC_Admin_Settings::add_error(__('Gateway URL: an https address such as https://pay.example.com; http only for a gateway on this machine.', 'nano-gateway'));
            return (string) $this->get_option($key);
        }
        return $given;
    }

    public function validate_address_field(string $key, $value): string
    {
        $given = is_string($value) ? trim(wp_unslash($value)) : '';
        // The gateway verifies the checksum.
        if ($given !== '' && preg_match('/^(nano|xrb)_[13][13456789abcdefghijkmnopqrstuwxyz]{59}$|^@[\w-]{1,64}$/', $given) !== 1) {
            \WC_Admin_Settings::add_error(__('Address: a nano address such as nano_3…, or a name such as @shop.', 'nano-gateway'));
            return (string) $this->get_option($key);
        }
        return $given;
    }

    public function generate_nano_test_html(string $key, array $data): string
    {
        wp_enqueue_script('nano-gateway-settings', plugins_url('assets/settings.js', FILE), [], VERSION, true);
        ob_start();
        ?>
        <tr valign="top">
            <th scope="row" class="titledesc"><?php echo esc_html($data['title']); ?></th>
            <td class="forminp">
                <button type="button" class="button" id="nano-gateway-test" data-url="<?php echo esc_url(admin_url('admin-ajax.php')); ?>"
                    data-nonce="<?php echo esc_attr(wp_create_nonce(ConnectionTest::ACTION)); ?>"
                    data-waiting="<?php echo esc_attr__('Testing …', 'nano-gateway'); ?>"
                    data-failed="<?php echo esc_attr__('The test could not be run. Reload this page and try again.', 'nano-gateway'); ?>"
                    ><?php echo esc_html__('Test connection', 'nano-gateway'); ?></button>
                <p class="description"><?php echo esc_html__('The test uses the saved settings: save your changes first.', 'nano-gateway'); ?></p>
                <ul id="nano-gateway-test-result" role="status"></ul>
            </td>
        </tr>
        <?php
        return (string) ob_get_clean();
    }

    /** The button has no value to save. */
    public function validate_nano_test_field(string $key, $value): string
    {
        return '';
    }
}
