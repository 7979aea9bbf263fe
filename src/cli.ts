// Imported first, so that this process exits even if the launcher that started it ends while the other modules load.
import './cli/parent-first.ts'
import { existsSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Argument, Command, Option } from 'commander'
import { addAccountCommands } from './cli/account-commands.ts'
import { loadCompiled } from './cli/compiled.ts'
import { addDevnetCommands } from './cli/devnet-commands.ts'
import { withGateway } from './cli/gateway-access.ts'
import { leaveWhenStopped } from './cli/stop.ts'
import { addWalletCommands } from './cli/wallet-commands.ts'
import { VERSION } from './version.ts'

// Compiled code is kept for the next start, beside the source: a user who may write there could change the source as
// well. If the gateway may not write there, each start compiles again.
const COMPILED = join(import.meta.dirname, '.compiled')
enableCompileCache(COMPILED)

/**
 * How much the heap may grow before V8 collects garbage. By default V8 lets it double; with 25 percent the process uses
 * a quarter less memory under load, at no measurable cost in processor time.
 */
const HEAP_GROWING_PERCENT = 25

/** The bundle of the whole gateway, if it was built. */
async function loadGateway(): Promise<{ exports: typeof import('./start.ts'); keep(): void }> {
  const bundled = join(import.meta.dirname, 'bundle', 'gateway.cjs')
  if (existsSync(bundled)) return loadCompiled(bundled, COMPILED)
  return { exports: await import('./start.ts'), keep: flushCompileCache }
}

/**
 * Loads a command's code only when the command runs: loading the whole gateway takes a second, and most commands need
 * little of it.
 */
const from =
  <Args extends unknown[]>(load: () => Promise<(...args: Args) => unknown>) =>
  async (...args: Args): Promise<void> => {
    const run = await load()
    await run(...args)
  }
const store = () => import('./cli/store.ts')
/** Selects the library for signatures first, because some of the loaded code signs at once. */
const natively = async <T>(load: () => Promise<T>): Promise<T> => {
  const { useFastestCurve } = await import('./infra/sodium-curve.ts')
  useFastestCurve()
  return load()
}

const program = new Command('nano-gateway')
  .description('An open RPC gateway for the Nano network.')
  .version(VERSION)
  .showHelpAfterError()

program
  .command('start')
  .description('start the gateway; its settings come from the environment')
  .option('--restored', 'the store comes from a backup: unknown Idempotency-Keys send nothing until `wallets settle`')
  .action(async ({ restored }: { restored?: boolean }) => {
    if (restored) await (await import('./cli/wallets.ts')).noteRestored()
    leaveWhenStopped()
    const { exports, keep } = await loadGateway()
    await exports.startGateway()
    // Saved now, because the process may be killed later.
    keep()
    // Set as late as possible. V8 rejects cached code that was compiled with other flags, and the start would collect
    // garbage more often.
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
  })

withGateway(program.command('call'))
  .description('call an action of a gateway: nano-gateway call account_balance account=nano_…')
  .argument('<action>', 'name of the action')
  .argument('[fields...]', 'field=value; repeat a field for a list')
  .option('--json', 'print JSON')
  .option('--watch', 'keep printing confirmed blocks of the account')
  .showHelpAfterError(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(from(async () => (await import('./cli/call.ts')).callAction))

withGateway(program.command('migrate-check'))
  .description('send the same requests to another service and to a gateway, and print what differs')
  .argument('<url>', 'address of the other service')
  .option('--requests <file>', 'requests as JSON, one a line or in a list, up to 1000; - is standard input', '-')
  .option('--their-key-file <file>', 'file with the API key of the other service')
  .option('--writes', 'also send requests that may change something')
  .option('--json', 'print JSON')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(from(async () => (await import('./cli/migrate-check.ts')).checkMigration))

withGateway(program.command('mcp'))
  .description('serve a gateway’s tools to AI agents over standard input (Model Context Protocol)')
  .option('--tools <sets>', 'sets of tools, separated by commas: payments, wallets, ledger, names, market, work, admin')
  .action(from(async () => (await import('./cli/mcp.ts')).serveMcp))

const webhook = program.command('webhook').description('webhook events')
withGateway(webhook.command('listen'))
  .description('print the events of an account and forward them to a local server')
  .requiredOption('--forward <url>', 'address of the receiver, such as http://localhost:3000/hook')
  .option('--events <kinds>', 'event kinds, separated by commas: payment.completed, payment.*')
  .option('--since <cursor>', 'start after this event id, cursor or unix time (default: now)')
  .addOption(
    new Option('--secret <secret>', 'secret that signs the forwarded events (default: a new one)').env(
      'NANO_WEBHOOK_SECRET',
    ),
  )
  .option('--json', 'print events as JSON, with their payload')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(from(async () => (await import('./cli/webhook-listen.ts')).listenForWebhooks))

program
  .command('completion')
  .description('print a shell completion script')
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
  .action(async (shell: 'bash' | 'zsh' | 'fish') => {
    const { printCompletion } = await import('./cli/completion.ts')
    printCompletion(program, shell)
  })

program
  .command('config')
  .description('print every setting with its value, default and description')
  .option('--check', 'check the settings and try every connection, without starting; exit code 1 on any problem')
  .option('--offline', 'with --check: do not try connections')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/config.ts')).printConfig))

program
  .command('nodes')
  .description('nodes that others run')
  .command('check')
  .description('test nodes and print the settings for those that a gateway can use')
  .argument('<urls...>', 'address of a node, followed by its websocket: https://… wss://…')
  .addOption(new Option('--network <network>').choices(['live', 'beta', 'dev']).default('live'))
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/nodes.ts')).checkNodes))

const devnet = program
  .command('devnet')
  .description('run only the development ledger, with a node’s RPC and websocket')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--port <port>', 'port of the RPC', '7076')
  .option('--ws-port <port>', 'port of the websocket', '7078')
  .option('--data <file>', 'ledger file (default ./data/devnet.db); `:memory:` keeps nothing')
  .option('--state <file>', 'start from a dumped ledger; in memory, unless --data names a new file')
  .option('--accounts [count]', 'accounts to open with 1000 nano each (default 10; none with --state)')
  .option('--no-accounts', 'open no accounts')
  .option('--seed <seed>', 'seed of those accounts, 64 hexadecimal digits (default: a well-known one)')
  .option('--work <network>', 'work that blocks need: dev, live, beta or none', 'dev')
  .option('--node-version <version>', 'node version to imitate: 27 or 28', '27')
  .option('--fork <url>', 'start from the state of a real network, read from this node; nothing is published there')
  .option('--network <name>', 'network name in `version`', 'dev')
  .option('--genesis <word>', 'create a different genesis from this word')
  .option('--confirm-ms <milliseconds>', 'time until a block is confirmed', '0')
  .option('--representatives <count>', 'representatives that vote, each with an equal part of the weight', '1')
  .option('--no-control', 'refuse actions that change the ledger, compute work or sign')
  .option('--ui [port]', 'serve the ledger explorer (port 7080)')
  .option('--ui-host <address>', 'address the explorer listens on', '127.0.0.1')
  .addOption(
    new Option('--log <style>', 'lines for calls and blocks: pretty on a terminal, json elsewhere').choices([
      'pretty',
      'json',
    ]),
  )
  .option('--quiet', 'do not print calls and blocks')
  .option('--json', 'print JSON')
  .action(from(async () => (await natively(() => import('./cli/devnet.ts'))).runDevnet))

devnet
  .command('fund')
  .description('send nano from the genesis account of a running development ledger')
  .argument('<address>', 'recipient address')
  .argument('<nano>', 'amount in nano')
  .option('--url <url>', 'RPC address of the ledger; by default that of the gateway in DATA_DIR, else port 7076')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/devnet-control.ts')).fundAccount))
addDevnetCommands(devnet)

program
  .command('work')
  .description('run a work server: computes proof of work for nodes (work_peers) and gateways (WORK_URLS)')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--port <port>', 'port to listen on', '7000')
  .option('--threads <count>', 'number of threads; auto leaves one processor free', 'auto')
  .option('--cards <cards>', 'graphics cards: auto, none, or numbers such as 0,1', 'auto')
  .option('--network <network>', 'network thresholds: live, beta or dev', 'live')
  .option(
    '--keys <file>',
    'file with one name and key per line; without it, anyone who can reach the server can use it',
  )
  .option('--bench', 'benchmark every source on this machine and exit')
  .action(from(async () => (await import('./cli/work.ts')).runWorkServer))

addAccountCommands(program)

const keys = program.command('keys').description('API keys')
keys
  .command('create')
  .description('create a key; it is shown once')
  .argument('<account>', 'id of the account')
  .option('--name <name>', 'purpose of the key', 'Command line')
  .option('--public', 'a public key, for browsers')
  .option('--origin <origin...>', 'origins allowed to use a public key')
  .option('--address <address...>', 'addresses that checkouts of a public key can pay (default: all)')
  .option('--template <checkout...>', 'checkouts whose orders a public key can make')
  .option('--scope <scope...>', 'scopes of a secret key, such as read or wallets:send (default: all)')
  .option('--expires <time>', 'expiry: a date such as 2027-01-31, or unix seconds')
  .option('--per-minute <count>', 'requests per minute with a secret key')
  .option('--spend-daily <nano>', 'nano a secret key can spend per day (UTC)')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).createKey))
keys
  .command('list')
  .description('list the keys of an account')
  .argument('<account>', 'id of the account')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).printKeys))
keys
  .command('revoke')
  .description('revoke a key immediately')
  .argument('<account>', 'id of the account')
  .argument('<key>', 'id of the key')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).endKey))

const jobs = program.command('jobs').description('background jobs')
jobs
  .command('list')
  .description('list jobs, latest first')
  .option('--status <status>', 'ready, running, done or dead')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).printJobs))
jobs
  .command('retry')
  .description('run a dead job again')
  .argument('<job>', 'id of the job')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).retryJob))

const mail = program.command('mail').description('emails kept in the store because no mail server is set')
mail
  .command('list')
  .description('list emails, latest first')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).printMail))

addWalletCommands(program)
const payments = program.command('payments').description('payments for names and credits that could not be fulfilled')
payments
  .command('waiting')
  .description('list payments that matched no offer, or came from an exchange and cannot be returned automatically')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/payments.ts')).printWaiting))
payments
  .command('refund')
  .description('return such a payment; a repeated command does not pay twice')
  .argument('<block>', 'hash of the block that paid')
  .option(
    '--to <address>',
    'recipient, if the payment must not go back to its sender; required for money from an exchange',
  )
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/payments.ts')).refund))
const names = program.command('names').description('usernames')
names
  .command('sign')
  .description('sign a username change and print the request; nothing is sent')
  .argument('<name>', 'the username')
  .argument('<offer>', 'id of the offer returned by update_name')
  .argument('<changes>', 'changes, as JSON')
  .requiredOption('--key-file <file>', 'file with the private key of the owning address, 64 hexadecimal digits')
  .option('--index <number>', 'the file has a seed; sign with its key at this index')
  .action(from(async () => (await import('./cli/names.ts')).signChange))
const proof = program.command('proof').description('proofs of payments')
proof
  .command('verify')
  .description('verify a proof of a payment on this machine, without a gateway or a node')
  .argument('<file>', 'the proof as JSON; `-` reads standard input')
  .option('--weights <file>', 'weights of representatives that you trust, as JSON, in place of those in the proof')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/proof.ts')).verifyProofFile))
const walletKeys = program.command('wallet-keys').description('master keys that encrypt wallet keys')
walletKeys
  .command('list')
  .description('list the master keys and how many wallets each encrypts')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/keys.ts')).printMasterKeys))
walletKeys
  .command('rotate')
  .description('re-encrypt all wallets with the active master key; without WALLET_KEYS, with a new one')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/keys.ts')).rotateMasterKeys))
const secretKeys = program
  .command('secret-keys')
  .alias('secret-key')
  .description('keys that encrypt secrets in the store (SECRET_KEYS)')
secretKeys
  .command('list')
  .description('list the keys and how many secrets each encrypts')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/keys.ts')).printSecretKeys))
secretKeys
  .command('rotate')
  .description('re-encrypt everything with the first key; without SECRET_KEYS, with a new one')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/keys.ts')).rotateSecretKeys))
secretKeys
  .command('replace')
  .description('use the current SECRET_KEY although secrets are encrypted with another one; stop every gateway first')
  .requiredOption('--yes', 'confirm: what the previous key has encrypted becomes unreadable')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/keys.ts')).takePresentKey))

program
  .command('backup')
  .description('write a consistent copy of the embedded store while it is in use')
  .argument('[target]', 'target file, or folder with --every', 'backups')
  .option('--every <time>', 'repeat at this interval, such as 15m, 1h or 1d')
  .option('--keep <count>', 'with --every: how many to keep', '48')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/backup.ts')).backUp))

program
  .command('verify')
  .description(
    'compare the store with the ledger: payments, wallets, sums and credits; prints differences and changes nothing',
  )
  .option('--node <url>', 'node to ask (default: the first of NODE_URLS, or the development ledger)')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/verify.ts')).verify))

program
  .command('migrate-store')
  .description('copy the store into an empty one and compare counts and sums')
  .requiredOption('--to <url>', 'postgres://… or sqlite:<file>')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).migrateStore))

try {
  await program.parseAsync()
} catch (error) {
  console.error(`nano-gateway: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
