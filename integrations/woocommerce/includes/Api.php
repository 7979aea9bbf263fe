<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** Calls the gateway. An answer is an array; everything else is a GatewayError. */
final class Api
{
    private const ANSWER_BYTES_MAX = 2_000_000;

    public function __construct(private string $url, private string $key)
    {
    }

    public function get(string $path): array
    {
        return $this->ask('GET', $path, ['timeout' => 10]);
    }

    /** A request with the same key and the same fields is executed only once, however often it is sent. */
    public function post(string $path, array $fields, string $idempotencyKey, int $timeout = 15): array
    {
        return $this->ask('POST', $path, [
            'timeout' => $timeout,
            'headers' => ['Content-Type' => 'application/json', 'Idempotency-Key' => $idempotencyKey],
            'body' => wp_json_encode($fields),
        ]);
    }

    public function delete(string $path): array
    {
        return $this->ask('DELETE', $path, ['timeout' => 10]);
    }

    private function ask(string $method, string $path, array $request): array
    {
        $headers = ['Authorization' => 'Bearer ' . $this->key, 'Accept' => 'application/json', ...($request['headers'] ?? [])];
        // Redirects are not followed: the key is meant only for this address.
        $answer = wp_remote_request($this->url . $path, [
            ...$request,
            'method' => $method,
            'headers' => $headers,
            'redirection' => 0,
            'limit_response_size' => self::ANSWER_BYTES_MAX,
        ]);
        if (is_wp_error($answer)) {
            throw new GatewayError(sanitize_text_field($answer->get_error_message()));
        }
        $status = (int) wp_remote_retrieve_response_code($answer);
        $body = json_decode(wp_remote_retrieve_body($answer), true);
        if (!is_array($body)) {
            /* translators: %d: a status of HTTP */
            $words = __('The server there is not a nano gateway. It answered with status %d.', 'nano-gateway');
            throw new GatewayError(sprintf($words, $status));
        }
        if ($status >= 200 && $status < 300) {
            return $body;
        }
        $text = static fn (string $name): string => is_string($body[$name] ?? null) ? sanitize_text_field($body[$name]) : '';
        throw new GatewayError($text('error') ?: "HTTP $status", $status, $text('code') ?: 'refused', $text('scope'));
    }
}
