import type { Command } from 'commander'

const store = () => import('./store.ts')
const one = () => import('./accounts.ts')
const privacy = () => import('./accounts.ts')
type Args<Name extends keyof Awaited<ReturnType<typeof one>>> = Parameters<Awaited<ReturnType<typeof one>>[Name]>

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('customers of the gateway')
  const add = (name: string, description: string) =>
    accounts.command(name).description(description).option('--json', 'print JSON')
  const ofOne = (name: string, description: string) => add(name, description).argument('<account>', 'id of the account')
  const reasoned = (command: Command) =>
    command.requiredOption('--reason <text>', 'reason, which the account sees in its activity')

  add('list', 'list accounts')
    .option('--search <text>', 'an id, or part of an email address')
    .action(async (...args: [{ search?: string }]) => (await store()).printAccounts(...args))
  add('create', 'create an account')
    .option('--email <address>', 'email address for sign-in')
    .option('--admin', 'make it an administrator')
    .action(async (...args: [{ email?: string; admin?: boolean }]) => (await store()).addAccount(...args))
  ofOne('show', 'show one account: state, credits, keys and recent changes').action(async (...args: Args<'showOne'>) =>
    (await one()).showOne(...args),
  )
  reasoned(ofOne('suspend', 'suspend an account: keys and sessions stop working; payments are still recorded')).action(
    async (...args: Args<'suspend'>) => (await one()).suspend(...args),
  )
  reasoned(ofOne('resume', 'end the suspension of an account')).action(async (...args: Args<'resume'>) =>
    (await one()).resume(...args),
  )
  reasoned(
    ofOne('credits', 'add credits to an account, or remove them with a negative amount (after --)').argument(
      '<amount>',
      'number of credits',
    ),
  ).action(async (...args: Args<'giveCredits'>) => (await one()).giveCredits(...args))
  ofOne('set', 'set limits and features of one account, which replace those of the settings')
    .option('--per-minute <count>', 'requests per minute; 0 for no limit, `usual` for the default')
    .option('--concurrency <count>', 'concurrent requests, at least 20; 0 for no limit, `usual` for the default')
    .option('--on <feature...>', 'enable: generated_wallets, wallet_sends')
    .option('--off <feature...>', 'disable')
    .option('--unset <feature...>', 'use the default')
    .action(async (...args: Args<'setOne'>) => (await one()).setOne(...args))
  add('export', 'write everything known about an account or a person to a file, without secrets')
    .argument('<who>', 'account id or email address')
    .requiredOption('--file <file>', 'target file; it must not exist yet')
    .action(async (...args: Parameters<Awaited<ReturnType<typeof privacy>>['exportData']>) =>
      (await privacy()).exportData(...args),
    )
  add('erase', 'close an account and erase its personal data, or that of a person by email address; money records stay')
    .argument('<who>', 'account id or email address')
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .action(async (...args: Parameters<Awaited<ReturnType<typeof privacy>>['eraseData']>) =>
      (await privacy()).eraseData(...args),
    )
  add(
    'forget-passkeys',
    'remove all passkeys and recovery codes of a person who has lost them; sign-in by email works again',
  )
    .argument('<address>', 'email address of the person')
    .requiredOption('--yes', 'confirm: the request comes from this person')
    .action(async (...args: Args<'forgetAll'>) => (await one()).forgetAll(...args))
  ofOne('sign-out', 'end every session of an account; its keys stay').action(async (...args: Args<'signOut'>) =>
    (await one()).signOut(...args),
  )
}
