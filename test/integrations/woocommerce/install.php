<?php

/* Installs WordPress into an empty database, with the plug-in active: `php install.php <folder> <url>`. */

declare(strict_types=1);

[, $folder, $url] = $argv;
$_SERVER['HTTP_HOST'] = parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
$_SERVER['REQUEST_URI'] = '/';
mysqli_report(MYSQLI_REPORT_OFF);
(new mysqli('localhost', 'root', '', '', 0, getenv('SHOP_SOCKET')))->query('CREATE DATABASE shop');
define('WP_INSTALLING', true);
require "$folder/wp-load.php";
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_wp_mail', '__return_true');
wp_install('Tea & Things', 'merchant', 'merchant@shop.example', false, '', 'only for this test');
update_option('active_plugins', ['nano-gateway/nano-gateway.php']);
get_role('administrator')->add_cap('manage_woocommerce');
echo $GLOBALS['wp_version'];
