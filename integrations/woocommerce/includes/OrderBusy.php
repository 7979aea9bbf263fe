<?php

declare(strict_types=1);

namespace NanoGateway\WooCommerce;

defined('ABSPATH') || exit;

/** Another request is processing the same order. */
final class OrderBusy extends \RuntimeException
{
}
