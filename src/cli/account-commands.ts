import type { Command } from 'commander'

const store = () => import('./store.ts')
const one = () => import('./accounts.ts')
const privacy = () => import('./privacy.ts')
type Args<Name extends keyof Awaited<ReturnType<typeof one>>> = Parameters<Awaited<ReturnType<typeof one>>[Name]>

/** What an operator does to accounts, beside a running gateway. */
export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('customers of the gateway')
  const add = (name: string, description: string) =>
    accounts.command(name).description(description).option('--json', 'print JSON')
  const ofOne = (name: string, description: string) => add(name, description).argument('<account>', 'id of the account')
  const reasoned = (command: Command) =>
    command.requiredOption('--reason <text>', 'why; the account reads it in its activity')

  add('list', 'list accounts')
    .option('--search <text>', 'an id, or part of an email address')
    .action(async (...args: [{ search?: string }]) => (await store()).printAccounts(...args))
  add('create', 'make an account')
    .option('--email <address>', 'email address for sign-in')
    .option('--admin', 'an administrator')
    .action(async (...args: [{ email?: string; admin?: boolean }]) => (await store()).addAccount(...args))
  ofOne('show', 'show one account: how it stands, credits, keys and last changes').action(
    async (...args: Args<'showOne'>) => (await one()).showOne(...args),
  )
  reasoned(
    ofOne('suspend', 'let an account rest: keys and sessions open nothing, payments are still recorded and told'),
  ).action(async (...args: Args<'suspend'>) => (await one()).suspend(...args))
  reasoned(ofOne('resume', 'let a suspended account go on')).action(async (...args: Args<'resume'>) =>
    (await one()).resume(...args),
  )
  reasoned(
    ofOne('credits', 'add credits to an account, or remove them with a negative amount (after --)').argument(
      '<amount>',
      'how many',
    ),
  ).action(async (...args: Args<'giveCredits'>) => (await one()).giveCredits(...args))
  ofOne('set', 'limits and features of one account, in place of what the settings say for all')
    .option('--per-minute <count>', 'requests per minute; 0 for no limit, `usual` for the default')
    .option('--concurrency <count>', 'concurrent requests, at least 20; 0 for no limit, `usual` for the default')
    .option('--on <feature...>', 'enable: generated_wallets, wallet_sends')
    .option('--off <feature...>', 'disable')
    .option('--unset <feature...>', 'use the default')
    .action(async (...args: Args<'setOne'>) => (await one()).setOne(...args))
  add('export', 'write everything known about an account or a person to a file, without secrets')
    .argument('<who>', 'account id or email address')
    .requiredOption('--file <file>', 'where to; it must not exist yet')
    .action(async (...args: Parameters<Awaited<ReturnType<typeof privacy>>['exportData']>) =>
      (await privacy()).exportData(...args),
    )
  add('erase', 'close an account and erase its personal data, or that of a person by email address; money records stay')
    .argument('<who>', 'account id or email address')
    .requiredOption('--yes', 'it cannot be undone')
    .action(async (...args: Parameters<Awaited<ReturnType<typeof privacy>>['eraseData']>) =>
      (await privacy()).eraseData(...args),
    )
  add(
    'forget-passkeys',
    'remove all passkeys and recovery codes of a person who has lost them, so that sign-in by email works again',
  )
    .argument('<address>', 'email address of the person')
    .requiredOption('--yes', 'you know that it is them who asks')
    .action(async (...args: Args<'forgetAll'>) => (await one()).forgetAll(...args))
  ofOne('sign-out', 'end every session of an account; its keys stay').action(async (...args: Args<'signOut'>) =>
    (await one()).signOut(...args),
  )
}
