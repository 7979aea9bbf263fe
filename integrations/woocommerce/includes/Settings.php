<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** The settings of the merchant. */
final class Settings
{
    public const ID = 'nano_gateway';
    public const OPTION = 'woocommerce_nano_gateway_settings';

    private const MINUTES_MIN = 5;
    private const MINUTES_MAX = 1_440;

    private function __construct(
        public readonly bool $enabled,
        public readonly string $title,
        public readonly string $description,
        public readonly string $gatewayUrl,
        public readonly string $secretKey,
        public readonly string $webhookSecret,
        public readonly string $address,
        public readonly string $mode,
        public readonly int $minutes,
    ) {
    }

    public static function read(): self
    {
        $saved = get_option(self::OPTION, []);
        $text = static fn (string $name, string $otherwise = ''): string => is_array($saved) && is_string($saved[$name] ?? null)
            ? trim($saved[$name])
            : $otherwise;
        return new self(
            $text('enabled') === 'yes',
            $text('title', __('Nano', 'nano-gateway')),
            $text('description', __('Pay with nano: no fees, and it arrives within a second.', 'nano-gateway')),
            untrailingslashit($text('gateway_url')),
            $text('secret_key'),
            $text('webhook_secret'),
            $text('address'),
            $text('mode') === 'generated_wallet' ? 'generated_wallet' : 'unique_amount',
            max(self::MINUTES_MIN, min(self::MINUTES_MAX, (int) $text('minutes', '60'))),
        );
    }

    /** The names of the settings that are still missing. */
    public function missing(): array
    {
        return array_keys(array_filter([
            __('Gateway URL', 'nano-gateway') => $this->gatewayUrl === '',
            __('Secret key', 'nano-gateway') => $this->secretKey === '',
            __('Webhook secret', 'nano-gateway') => $this->webhookSecret === '',
            __('Address', 'nano-gateway') => $this->address === '',
        ]));
    }

    public function api(): Api
    {
        return new Api($this->gatewayUrl, $this->secretKey);
    }

    /** The address that receives webhooks. */
    public static function webhookUrl(): string
    {
        return WC()->api_request_url(self::ID);
    }

    /** Every request contains the key, so it needs https, except on this machine. */
    public static function isSafeUrl(string $url): bool
    {
        $parts = wp_parse_url($url);
        $host = strtolower((string) ($parts['host'] ?? ''));
        if ($host === '' || isset($parts['user']) || isset($parts['query']) || isset($parts['fragment'])) {
            return false;
        }
        $isHere = in_array($host, ['localhost', '127.0.0.1', '[::1]'], true);
        return match ($parts['scheme'] ?? '') {
            'https' => true,
            'http' => $isHere || (bool) apply_filters('nano_gateway_allow_http', false, $host),
            default => false,
        };
    }
}
