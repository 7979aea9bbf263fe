<?php

const AGE_SECONDS_MAX = 300;

/**
 * Checks that a webhook comes from your gateway and returns its event; throws otherwise.
 *
 *   $event = verifyWebhook(file_get_contents('php://input'), [
 *       'webhook-id' => $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
 *       'webhook-timestamp' => $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
 *       'webhook-signature' => $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
 *   ], $secret);
 */
function verifyWebhook(string $rawBody, array $headers, string $secret, ?int $now = null): array
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > AGE_SECONDS_MAX) {
        throw new RuntimeException('The webhook is too old, or from the future.');
    }
    $signed = ($headers['webhook-id'] ?? '') . '.' . $timestamp . '.' . $rawBody;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, keyOf($secret), true));
    // While a secret is being replaced, the header has one signature for the old secret and one for the new.
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('The signature of the webhook is wrong.');
}

/** A secret that begins with whsec_ contains a key in base64; any other secret is the key itself. */
function keyOf(string $secret): string
{
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false;
    return $key !== false && strlen($key) >= 24 && strlen($key) <= 64 ? $key : $secret;
}
