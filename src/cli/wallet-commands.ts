import type { Command } from 'commander'

const wallet = () => import('./wallets.ts')
const seed = () => import('./wallet-words.ts')
const old = () => import('./wallet-migrate.ts')
const lost = () => import('./wallet-recover.ts')
type Args<Load extends () => Promise<object>, Name extends keyof Awaited<ReturnType<Load>>> = Awaited<
  ReturnType<Load>
>[Name] extends (...args: infer A) => unknown
  ? A
  : never

const TARGET = 'id or address of a wallet, id of an account, or `all`'

export function addWalletCommands(program: Command): void {
  const wallets = program.command('wallets').description('cloud wallets')
  const add = (name: string, description: string) =>
    wallets.command(name).description(description).option('--json', 'print JSON')

  add('frozen', 'list frozen wallets and sends with the reasons, and sends on the ledger that the store does not know')
    .option('--node <url>', 'node to ask (default: the first of NODE_URLS, or the development ledger)')
    .action(async (...args: Args<typeof wallet, 'printFrozen'>) => (await wallet()).printFrozen(...args))
  add(
    'settle',
    'after a restore: let requests with an Idempotency-Key send again; compare and unfreeze the wallets first',
  ).action(async (...args: Args<typeof wallet, 'settle'>) => (await wallet()).settle(...args))
  add('freeze', 'stop a wallet, the sends of an account, or all sends, at once and on every gateway')
    .argument('<target>', TARGET)
    .requiredOption('--reason <reason>', 'why; shown in the activity')
    .action(async (...args: Args<typeof wallet, 'freeze'>) => (await wallet()).freeze(...args))
  add(
    'unfreeze',
    'allow sends again after you have investigated; a wallet continues from what the ledger has confirmed',
  )
    .alias('thaw')
    .argument('<target>', TARGET)
    .option('--pay-queued', 'also send its queued payments; compare them with the ledger first')
    .action(async (...args: Args<typeof wallet, 'unfreeze'>) => (await wallet()).unfreeze(...args))
  add('words', 'show the 24 words that restore every wallet made from now on; they are shown once')
    .option('--check', 'read the words from standard input, and say whether they are correct')
    .option('--new', 'make a new seed with other words for new wallets')
    .action(async (...args: Args<typeof seed, 'words'>) => (await seed()).words(...args))
  add('recover', 'adopt wallets of the seed that the ledger knows and the store does not, for example after a restore')
    .option('--words', 'read the 24 words from standard input, for a store without their seed')
    .option('--ahead <count>', 'how many unused addresses in a row end the search', '1000')
    .option(
      '--from <index>',
      'index of the seed at which the search begins (default: somewhat before the next new wallet)',
    )
    .option('--node <url>', 'node to ask (default: the first of NODE_URLS, or the development ledger)')
    .action(async (...args: Args<typeof lost, 'recover'>) => (await lost()).recover(...args))
  add('assign', 'give a recovered wallet to an account')
    .argument('<wallet>', 'id or address of the wallet')
    .argument('<account>', 'id of the account')
    .action(async (...args: Args<typeof lost, 'assign'>) => (await lost()).assign(...args))
  add('migrate-keys', 'list wallets that the 24 words cannot restore, or move them to keys of the seed')
    .argument('[wallets...]', 'ids or addresses of wallets to move; each gets a new address')
    .option('--all', 'move every wallet on the list that can move, the treasury too')
    .action(async (...args: Args<typeof old, 'migrateKeys'>) => (await old()).migrateKeys(...args))
}
