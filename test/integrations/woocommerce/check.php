<?php

/*
 * Reads the tokens of every file of the plug-in and prints faults: a function or class that is neither in PHP, nor in the plug-in, nor in the
 * stand-ins for WordPress and WooCommerce; unescaped output; a text without its domain; unchecked input.
 */

declare(strict_types=1);

putenv('SHOP_DATABASE=:memory:');
putenv('SHOP_URL=http://127.0.0.1');
require __DIR__ . '/wordpress.php';
require __DIR__ . '/woocommerce.php';
$plugin = $argv[1];
require "$plugin/nano-gateway.php";
require "$plugin/includes/Gateway.php";
require "$plugin/includes/BlocksMethod.php";

const SPACE = 'NanoGateway\WooCommerce\\';
const ESCAPES = ['esc_html', 'esc_attr', 'esc_url', 'esc_html__', 'esc_attr__'];
const NEVER = ['eval', 'unserialize', 'extract', 'system', 'exec', 'passthru', 'shell_exec', 'var_dump', 'print_r', 'var_export', 'printf', '_e', 'get_post_meta', 'update_post_meta', 'add_option', 'curl_init'];

/** The full names that a name may stand for: as written, or in our namespace. */
function isKnown(string $name, callable $exists): bool
{
    return $exists(ltrim($name, '\\')) || $exists(SPACE . $name);
}

/** The faults of one file. */
function wrongIn(string $text, string $name): array
{
    $wrong = [];
    $tokens = array_values(array_filter(PhpToken::tokenize($text), static fn (PhpToken $token): bool => !$token->isIgnorable() || $token->is(T_OPEN_TAG)));
    $names = [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED];
    $isClass = static fn (string $class): bool => class_exists($class) || interface_exists($class);
    foreach ($tokens as $at => $token) {
        [$before, $after] = [$tokens[$at - 1] ?? null, $tokens[$at + 1] ?? null];
        $bad = static function (string $what) use (&$wrong, $name, $token): void {
            $wrong[] = "$name:{$token->line} $what: {$token->text}";
        };
        $isCall = $token->is($names) && $after?->text === '(' && !$before?->is([T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_NEW]);
        if ($isCall && (!isKnown($token->text, function_exists(...)) || in_array($token->text, NEVER, true))) {
            $bad('calls a function that is unknown or not wanted');
        }
        $isNamed = $token->is($names) && ($before?->is(T_NEW) || $after?->is(T_DOUBLE_COLON) || $before?->is(T_INSTANCEOF));
        if ($isNamed && !in_array($token->text, ['self', 'static', 'parent'], true) && !isKnown($token->text, $isClass)) {
            $bad('names a class that is unknown');
        }
        if ($token->is([T_ECHO, T_PRINT, T_OPEN_TAG_WITH_ECHO]) && !(in_array($after?->text, ESCAPES, true) && $token->is(T_ECHO))) {
            $bad('prints what is not escaped');
        }
        if ($isCall && in_array($token->text, ['__', 'esc_html__', 'esc_attr__'], true)) {
            $isLiteral = $tokens[$at + 2]->is(T_CONSTANT_ENCAPSED_STRING) && $tokens[$at + 4]->text === "'nano-gateway'";
            if (!$isLiteral) {
                $bad('translates something else than a text of this plug-in');
            }
        }
        if ($token->is(T_VARIABLE) && in_array($token->text, ['$_GET', '$_POST', '$_REQUEST', '$_COOKIE', '$_FILES'], true)) {
            $bad('reads input that nobody has checked');
        }
    }
    if (!str_contains($name, 'verify-webhook') && !preg_match("/defined\('(ABSPATH|WP_UNINSTALL_PLUGIN)'\) \|\| exit;/", $text)) {
        $wrong[] = "$name can be asked for by itself";
    }
    return $wrong;
}

// The check must find these seven planted faults.
$planted = "<?php defined('ABSPATH') || exit; echo \$x; wp_nothing(); new \\WC_Nothing(); __(\$x, 'nano-gateway'); \$_GET['x']; eval_(); get_post_meta();";
if (count(wrongIn($planted, 'planted')) !== 7) {
    exit("The check is blind:\n" . implode("\n", wrongIn($planted, 'planted')) . "\n");
}
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($plugin, FilesystemIterator::SKIP_DOTS)) as $file) {
    if ($file->getExtension() === 'php') {
        foreach (wrongIn(file_get_contents($file->getPathname()), substr($file->getPathname(), strlen($plugin) + 1)) as $line) {
            echo "$line\n";
        }
    }
}
