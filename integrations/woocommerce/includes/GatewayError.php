<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** A refusal by the gateway, with its message; or, with the status 0, that it could not be reached. */
final class GatewayError extends \RuntimeException
{
    public function __construct(
        string $message,
        public readonly int $status = 0,
        /** The error code of the gateway, such as `missing_scope`. */
        public readonly string $word = 'unreachable',
        public readonly string $scope = '',
    ) {
        parent::__construct($message);
    }
}
