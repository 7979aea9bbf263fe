import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { DOUBLE, WORKERS, servePhp, unpackPlugin } from './woo-shop.ts'

/* A real WordPress on a real MariaDB, from the system's packages. Only WooCommerce is replaced by a stub. */

const WORDPRESS = process.env.WORDPRESS_DIR ?? '/usr/share/wordpress'
const MARIADB = '/usr/sbin/mariadbd'

function hasMysql(): boolean {
  try {
    return execFileSync('php', ['-m']).toString().includes('mysqli')
  } catch {
    return false
  }
}

/** Programs that are missing here; undefined if none are. */
export function findMissing(): string | undefined {
  if (!existsSync(join(WORDPRESS, 'wp-settings.php'))) return 'needs the package wordpress, or WORDPRESS_DIR'
  if (!existsSync(MARIADB)) return 'needs the package mariadb-server-core'
  return hasMysql() ? undefined : 'needs the package php-mysql'
}

/** The version is printed: a test with an older WordPress than the plug-in requires proves less. */
export async function serveWordPress(t: TestContext): Promise<string> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const folder = join(openFolder(t), 'wordpress')
  cpSync(WORDPRESS, folder, { recursive: true, verbatimSymlinks: true })
  const content = join(folder, 'wp-content')
  rmSync(content, { recursive: true, force: true })
  for (const name of ['plugins', 'mu-plugins', 'themes']) mkdirSync(join(content, name), { recursive: true })
  cpSync(unpackPlugin(t), join(content, 'plugins/nano-gateway'), { recursive: true })
  cpSync(join(DOUBLE, 'must-use.php'), join(content, 'mu-plugins/shop.php'))
  const socket = await openDatabase(t)
  rmSync(join(folder, 'wp-config.php'), { force: true })
  writeFileSync(join(folder, 'wp-config.php'), toConfig(url, socket))
  const env = {
    PATH: process.env.PATH,
    PHP_CLI_SERVER_WORKERS: WORKERS,
    SHOP_DATABASE: join(openFolder(t), 'shop.db'),
    SHOP_DOUBLE: DOUBLE,
    SHOP_SOCKET: socket,
    SHOP_URL: url,
  }
  const version = execFileSync('php', [join(DOUBLE, 'install.php'), folder, url], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.diagnostic(`WordPress ${version.toString().trim()}`)
  await servePhp(t, { url, env, of: ['-t', folder] })
  return url
}

const toConfig = (url: string, socket: string) => `<?php
define('DB_NAME', 'shop');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${socket}');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', '${url}');
define('WP_SITEURL', '${url}');
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('AUTH_KEY', 'only for this test');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`

/** Starts an empty MariaDB without a network port; returns its socket. */
async function openDatabase(t: TestContext): Promise<string> {
  const data = join(openFolder(t), 'db')
  mkdirSync(data)
  const socket = join(data, 's')
  // Without privilege tables: only this user can reach the socket.
  const own = ['--no-defaults', `--datadir=${data}`, `--user=${process.env.USER ?? 'root'}`, '--skip-grant-tables']
  const server = spawn(MARIADB, [...own, `--socket=${socket}`, '--skip-networking'], { stdio: 'ignore' })
  t.after(async () => {
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  })
  await until(() => existsSync(socket))
  return socket
}
