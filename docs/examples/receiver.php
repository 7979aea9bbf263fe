<?php

/*
 * Takes webhooks of a gateway for a shop whose orders are in a file: {"A-1": {"amount_raw": "1500…"}}. Put your own database in the place of
 * the file; keep the order of the checks. Run it with `php -S 127.0.0.1:3000 receiver.php`, or behind any web server.
 */

require __DIR__ . '/verify-webhook.php';

/** Marks the order as paid, once, and returns a line for the log. */
function take(array $event, string $file): string
{
    if ($event['type'] !== 'payment.completed') {
        return "{$event['type']}: nothing to do";
    }
    // Two deliveries at the same time wait for each other here.
    $lock = fopen("$file.lock", 'c');
    flock($lock, LOCK_EX);
    $orders = json_decode(file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);
    $number = $event['metadata']['order'] ?? '';
    $order = $orders[$number] ?? null;
    if ($order === null) {
        return "{$event['id']}: no such order, checkout {$event['checkout_id']}";
    }
    if (isset($order['paid_by'])) {
        return "{$event['id']}: $number is paid already";
    }
    // Raw amounts exceed the integers of PHP, and `>=` would round them: the longer text is larger; of equal length, the later in order.
    [$paid, $price] = [$event['payment']['amount_raw'], $order['amount_raw']];
    $isEnough = (strlen($paid) <=> strlen($price) ?: strcmp($paid, $price)) >= 0;
    if (!ctype_digit($paid) || !$isEnough || $event['block']['confirmed'] !== 'true') {
        return "{$event['id']}: $number was not paid in full, look at it";
    }
    $orders[$number]['paid_by'] = $event['block']['hash'];
    file_put_contents("$file.new", json_encode($orders, JSON_THROW_ON_ERROR));
    rename("$file.new", $file);
    return "{$event['id']}: $number is paid";
}

try {
    $event = verifyWebhook(file_get_contents('php://input', false, null, 0, 1_000_000), [
        'webhook-id' => $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
        'webhook-timestamp' => $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
        'webhook-signature' => $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
    ], (string) getenv('WEBHOOK_SECRET'));
} catch (RuntimeException $error) {
    http_response_code(401);
    exit("{$error->getMessage()}\n");
}
error_log(take($event, getenv('ORDERS') ?: 'orders.json'));
http_response_code(204);
