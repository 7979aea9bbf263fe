import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { Argument, Command, Option } from 'commander'
import { addAccountCommands } from './cli/account-commands.ts'
import { addDevnetCommands } from './cli/devnet-commands.ts'
import { withGateway } from './cli/gateway-access.ts'
import { VERSION } from './version.ts'

// What was compiled at one start is ready for the next: beside the code, because a user who may write there may change the code as
// well. Where the gateway may not, it is compiled each time.
enableCompileCache(join(import.meta.dirname, '.compiled'))

/**
 * A command loads what it needs when it is called: the whole gateway takes a second to load, and most commands need little
 * of it.
 */
const from =
  <Args extends unknown[]>(load: () => Promise<(...args: Args) => unknown>) =>
  async (...args: Args): Promise<void> => {
    const run = await load()
    await run(...args)
  }
const store = () => import('./cli/store.ts')
/** Who computes signatures is settled before anything is loaded that signs at once, as the development ledger does. */
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
  .description('start the gateway (settings come from the environment)')
  // One of several processes of a gateway; the first of them starts the others with it.
  .addOption(new Option('--as <role>').choices(['owner', 'front']).hideHelp())
  .action(async ({ as }: { as?: string }) => {
    const { runGateway } = await natively(() => import('./main.ts'))
    await runGateway(as)
    // Not left for the end, which may be sudden.
    flushCompileCache()
  })

withGateway(program.command('call'))
  .description('call an action of a gateway: nano-gateway call account_balance account=nano_…')
  .argument('<action>', 'its name')
  .argument('[fields...]', 'field=value; a field that comes twice is a list')
  .option('--json', 'print JSON')
  .option('--watch', 'then print what is confirmed of the account, until it is stopped')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(from(async () => (await import('./cli/call.ts')).callAction))

withGateway(program.command('mcp'))
  .description('tools of a gateway for agents, over standard input (Model Context Protocol)')
  .action(from(async () => (await import('./cli/mcp.ts')).serveMcp))

const webhook = program.command('webhook').description('events on their way to a server')
withGateway(webhook.command('listen'))
  .description('hand the events of an account to a receiver on this machine, and print them')
  .requiredOption('--forward <url>', 'address of the receiver, as http://localhost:3000/hook')
  .option('--events <kinds>', 'kinds of events, with commas between them: payment.completed, payment.*')
  .option('--since <cursor>', 'an event id, a cursor or unix seconds to begin behind; from now on unless given')
  .addOption(new Option('--secret <secret>', 'signs them; one is made unless given').env('NANO_WEBHOOK_SECRET'))
  .option('--json', 'print events as JSON, with their payload')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(from(async () => (await import('./cli/webhook-listen.ts')).listenForWebhooks))

program
  .command('completion')
  .description('print what a shell needs to complete commands, actions and fields')
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
  .action(async (shell: 'bash' | 'zsh' | 'fish') => {
    const { printCompletion } = await import('./cli/completion.ts')
    printCompletion(program, shell)
  })

program
  .command('config')
  .description('print every setting with its value, default and meaning')
  .option('--check', 'say everything that is wrong with them instead, without starting; exit code 1 if anything is')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/config.ts')).printConfig))

const devnet = program
  .command('devnet')
  .description('run the development ledger alone, with the RPC and websocket of a node')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--port <port>', 'port of the RPC', '7076')
  .option('--ws-port <port>', 'port of the websocket', '7078')
  .option('--data <file>', 'ledger file (default ./data/devnet.db); `:memory:` forgets everything at the end')
  .option('--state <file>', 'begin with a dumped ledger; in memory, unless --data names a new file')
  .option('--accounts [count]', 'accounts to open with 1000 nano each (default 10; none with --state)')
  .option('--no-accounts', 'open none')
  .option('--seed <seed>', 'whose accounts those are, 64 hexadecimal digits; a well-known one otherwise')
  .option('--work <network>', 'work that blocks need: dev, live, beta or none', 'dev')
  .option('--node-version <version>', 'the node that it passes for: 27 or 28', '27')
  .option('--fork <url>', 'begin on top of a real network, read from this node; nothing is ever published there')
  .option('--network <name>', 'the network that `version` names', 'dev')
  .option('--genesis <word>', 'a ledger of another identity: its genesis is made from this word')
  .option('--confirm-ms <milliseconds>', 'time until a block is confirmed', '0')
  .option('--no-control', 'refuse actions that change the node, make work or sign')
  .option('--ui [port]', 'serve pages that show what happens on the ledger (port 7080)')
  .option('--ui-host <address>', 'address that those listen on', '127.0.0.1')
  .addOption(
    new Option('--log <style>', 'lines for calls and blocks: pretty on a terminal, json elsewhere').choices([
      'pretty',
      'json',
    ]),
  )
  .option('--quiet', 'print no lines for calls and blocks')
  .option('--json', 'print JSON')
  .action(from(async () => (await natively(() => import('./cli/devnet.ts'))).runDevnet))

devnet
  .command('fund')
  .description('send nano from the genesis account of a running development ledger')
  .argument('<address>', 'who gets it')
  .argument('<nano>', 'how much, in nano')
  .option('--url <url>', 'RPC address of the ledger; by default that of the gateway in DATA_DIR, else port 7076')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/fund.ts')).fundAccount))
addDevnetCommands(devnet)

program
  .command('work')
  .description('run a work server: computes proof of work for nodes (work_peers) and gateways (WORK_URLS)')
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--port <port>', 'port to listen on', '7000')
  .option('--threads <count>', 'threads that search; auto leaves one processor free', 'auto')
  .option('--cards <cards>', 'graphics cards: auto, none, or their numbers as in 0,1', 'auto')
  .option('--network <network>', 'whose thresholds: live, beta or dev', 'live')
  .option('--keys <file>', 'who may use it: a line for each, its name and its key; otherwise whoever can reach it')
  .option('--bench', 'measure every source and form of the search here, print them and end')
  .action(from(async () => (await import('./cli/work.ts')).runWorkServer))

addAccountCommands(program)

const keys = program.command('keys').description('API keys')
keys
  .command('create')
  .description('make a key; it is shown once')
  .argument('<account>', 'id of the account')
  .option('--name <name>', 'what it is for', 'Command line')
  .option('--public', 'a public key, for browsers')
  .option('--origin <origin...>', 'where a public key may be used')
  .option('--scope <scope...>', 'what a secret key may do, such as read or wallets:send; everything otherwise')
  .option('--expires <time>', 'when it ends: a date such as 2027-01-31, or seconds since 1970')
  .option('--per-minute <count>', 'requests in a minute with a secret key')
  .option('--spend-daily <nano>', 'nano that a secret key spends on a day (UTC)')
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
  .description('end a key at once')
  .argument('<account>', 'id of the account')
  .argument('<key>', 'id of the key')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).endKey))

const jobs = program.command('jobs').description('work that outlives its request')
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

const mail = program.command('mail').description('mail kept in the store because no mail server is set')
mail
  .command('list')
  .description('show it, latest first')
  .option('--json', 'print JSON')
  .action(from(async () => (await store()).printMail))

const wallets = program.command('wallets').description('wallets whose keys the gateway keeps')
wallets
  .command('frozen')
  .description('list wallets that somebody else has signed for, and that sign nothing more')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/wallets.ts')).printFrozen))
wallets
  .command('thaw')
  .description('let a frozen wallet go on with what the ledger has confirmed, after you have looked into it')
  .argument('<wallet>', 'id or address of the wallet')
  .option('--pay-queued', 'make the payments that wait in it; compare them with the ledger first')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/wallets.ts')).thaw))
const payments = program
  .command('payments')
  .description('payments for names and credits that nothing could be given for')
payments
  .command('waiting')
  .description('list money in the treasury that fitted no offer, or came from an exchange and cannot go back by itself')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/payments.ts')).printWaiting))
payments
  .command('refund')
  .description('send such a payment back, once')
  .argument('<block>', 'hash of the block that paid')
  .option(
    '--to <address>',
    'where to, when it must not go back to where it came from; needed for money from an exchange',
  )
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/payments.ts')).refund))
const names = program.command('names').description('usernames')
names
  .command('sign')
  .description('sign a change of a username, and print the request that makes it; nothing is sent')
  .argument('<name>', 'the username')
  .argument('<offer>', 'id of the offer that update_name answered')
  .argument('<changes>', 'what is to change, as JSON')
  .requiredOption('--key-file <file>', 'file with the private key of the owning address, 64 hexadecimal digits')
  .option('--index <number>', 'the file has a seed; sign with its key at this index')
  .action(from(async () => (await import('./cli/names.ts')).signChange))
const walletKeys = program.command('wallet-keys').description('master keys, which seal the keys of wallets')
walletKeys
  .command('list')
  .description('list the master keys in use, and how many wallets each has sealed')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/wallet-keys.ts')).printMasterKeys))
walletKeys
  .command('rotate')
  .description('seal all wallets with the active master key; without WALLET_KEYS, with a new one')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/wallet-keys.ts')).rotateMasterKeys))
const secretKey = program.command('secret-key').description('the key that seals secrets in the store (SECRET_KEY)')
secretKey
  .command('replace')
  .description('take the present key, when the one that sealed the secrets of the store is lost or known to others')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/secret-key.ts')).takePresentKey))

program
  .command('backup')
  .description('write a consistent copy of the embedded store while it is in use')
  .argument('[target]', 'where to: a file, or with --every a folder', 'backups')
  .option('--every <time>', 'write one after another, as 15m, 1h or 1d say, until it is stopped')
  .option('--keep <count>', 'with --every: how many are kept', '48')
  .option('--json', 'print JSON')
  .action(from(async () => (await import('./cli/backup.ts')).backUp))

program
  .command('verify')
  .description(
    'read the store against the ledger: payments, wallets, sums and credits; prints what disagrees and changes nothing',
  )
  .option('--node <url>', 'the node to ask; by default the first of NODE_URLS, or the development ledger')
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
