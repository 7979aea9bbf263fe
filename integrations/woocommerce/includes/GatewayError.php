<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** What the gateway refused, in its words; or that it could not be asked, with the status 0. */
final class GatewayError extends \RuntimeException
{
    public function __construct(
        string $message,
        public readonly int $status = 0,
        /** The gateway's own name of what is wrong, as `missing_scope`. */
        public readonly string $word = 'unreachable',
        public readonly string $scope = '',
    ) {
        parent::__construct($message);
    }
}
