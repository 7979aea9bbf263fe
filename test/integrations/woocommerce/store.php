<?php

/* Stores what WooCommerce would store: in a database of its own, beside a real WordPress too. */

declare(strict_types=1);

/** Orders, their notes and their refunds; in the stand-in for WordPress the options as well. */
class ShopStore
{
    public string $options = 'wp_options';
    public PDO $pdo;

    public function __construct(string $file)
    {
        $this->pdo = new PDO("sqlite:$file", null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 30]);
        $this->pdo->exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
            CREATE TABLE IF NOT EXISTS wp_options (option_name TEXT PRIMARY KEY, option_value TEXT, autoload TEXT);
            CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, status TEXT, total TEXT, currency TEXT, payment_method TEXT, transaction_id TEXT);
            CREATE TABLE IF NOT EXISTS order_meta (order_id INTEGER, name TEXT, value TEXT, PRIMARY KEY (order_id, name));
            CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, order_id INTEGER, text TEXT);
            CREATE TABLE IF NOT EXISTS refunds (id INTEGER PRIMARY KEY, order_id INTEGER, amount TEXT);
            CREATE TABLE IF NOT EXISTS happened (id INTEGER PRIMARY KEY, order_id INTEGER, what TEXT);');
    }

    public function prepare(string $query, mixed ...$values): string
    {
        return preg_replace_callback('/%[sd]/', function (array $mark) use (&$values): string {
            $value = array_shift($values);
            return $mark[0] === '%d' ? (string) (int) $value : $this->pdo->quote((string) $value);
        }, $query);
    }

    /** The number of changed rows. */
    public function query(string $query): int
    {
        return $this->pdo->exec($this->toSqlite($query));
    }

    public function get_var(string $query): ?string
    {
        $value = $this->pdo->query($this->toSqlite($query))->fetchColumn();
        return $value === false ? null : (string) $value;
    }

    public function esc_like(string $text): string
    {
        return addcslashes($text, '_%\\');
    }

    /** Replaces the syntax of MySQL that this database does not have. */
    private function toSqlite(string $query): string
    {
        return preg_replace(["/^INSERT IGNORE/", "/(LIKE '[^']*')/"], ['INSERT OR IGNORE', "$1 ESCAPE '\\'"], $query);
    }
}

function shop_store(): ShopStore
{
    static $own = null;
    $there = $GLOBALS['wpdb'] ?? null;
    return $there instanceof ShopStore ? $there : ($own ??= new ShopStore(getenv('SHOP_DATABASE')));
}
