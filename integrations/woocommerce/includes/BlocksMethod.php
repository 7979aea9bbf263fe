<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

defined('ABSPATH') || exit;

/** Nano in the checkout that consists of blocks. */
final class BlocksMethod extends AbstractPaymentMethodType
{
    protected $name = Settings::ID;

    public function initialize(): void
    {
        $this->settings = get_option(Settings::OPTION, []);
    }

    public function is_active(): bool
    {
        $settings = Settings::read();
        return $settings->enabled && $settings->missing() === [];
    }

    public function get_payment_method_script_handles(): array
    {
        $needed = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
        wp_register_script('nano-gateway-blocks', plugins_url('assets/blocks.js', FILE), $needed, VERSION, true);
        return ['nano-gateway-blocks'];
    }

    /** What the browser receives: nothing about the gateway. */
    public function get_payment_method_data(): array
    {
        $settings = Settings::read();
        return ['title' => $settings->title, 'description' => $settings->description, 'supports' => ['products', 'refunds']];
    }
}
