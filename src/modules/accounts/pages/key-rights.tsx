import type { MemberRole, Scope } from '../../../kernel/rights.ts'
import type { FormState } from '../../../kernel/page.ts'
import { TextField } from '../../../web/dashboard/form.tsx'
import { Nano, useClock } from '../../../web/dashboard/show.tsx'
import { endOfDay } from '../domain/spending.ts'

/** The description of each scope. */
const MEANINGS: Record<Scope, string> = {
  read: 'Read the ledger, prices and names; publish blocks',
  work: 'Proof of work',
  checkout: 'Checkouts',
  'wallets:read': 'See wallets',
  'wallets:send': 'Send from wallets, create and close them',
  names: 'Usernames',
  email: 'Email payments',
  reports: 'Reports, exports, credits',
  webhooks: 'Events and webhooks',
  refunds: 'Refunds',
  keys: 'Create, rotate and revoke keys',
}

const NAMES = ['scopes', 'expires_unix', 'per_minute', 'spend_daily_nano', 'limits']
export const RIGHTS_FIELDS: readonly string[] = NAMES
export const boxOf = (scope: Scope) => `scope-${scope}`

/** The rights of a new key, with end and limits; without them the key has all rights for ever. */
export const RightsFields = ({ filled, give, now }: { filled: FormState; give: readonly Scope[]; now: number }) => {
  const dayEnds = useClock()(endOfDay(now)).slice('2027-01-31 '.length)
  const { values, error } = filled
  const isNew = !('boxes' in values)
  const isWrong = error?.field !== undefined && NAMES.includes(error.field)
  const isTouched = !isNew && (give.some((scope) => !(boxOf(scope) in values)) || NAMES.some((name) => values[name]))
  return (
    <details class="rights" open={isWrong || isTouched}>
      <summary>Restrict this key</summary>
      <input type="hidden" name="boxes" value="shown" />
      <fieldset
        id="f-scopes"
        tabIndex={-1}
        class={error?.field === 'scopes' ? 'field wrong' : 'field'}
        aria-describedby="scopes-hint"
      >
        <legend>Permissions of a secret key</legend>
        <p class="hint" id="scopes-hint">
          Calls that need a scope the key does not have are refused. A key never does more than the person who made it.
        </p>
        <div class="choices">
          {give.map((scope) => (
            <label key={scope} class="choice">
              <input type="checkbox" name={boxOf(scope)} checked={isNew || boxOf(scope) in values} />
              <span>
                {MEANINGS[scope]}
                <code>{scope}</code>
              </span>
            </label>
          ))}
        </div>
        {error?.field === 'scopes' && <p class="error">{error.text}</p>}
      </fieldset>
      <TextField filled={filled} name="expires_unix" label="Expires on" hint="At the start of this day." type="date" />
      <TextField
        filled={filled}
        name="per_minute"
        label="Requests per minute"
        hint="For a secret key, in addition to the account’s limits."
        inputMode="numeric"
        maxLength={7}
      />
      <TextField
        filled={filled}
        name="spend_daily_nano"
        label="Nano per day"
        hint={`How much a secret key can send from wallets or by email in a day, which ends at ${dayEnds}.`}
        inputMode="decimal"
        maxLength={40}
      />
    </details>
  )
}

export interface ShownRights {
  kind: 'secret' | 'public'
  /** Those that the maker's current role still allows. */
  scopes: readonly Scope[] | null
  madeBy: string | null
  makerRole: MemberRole | undefined
  /** The maker's address. */
  maker: string | undefined
  perMinute: number | undefined
  spend: { daily: bigint; spent: bigint } | undefined
}

function boundOf({ maker, makerRole }: Pick<ShownRights, 'maker' | 'makerRole'>): string {
  if (makerRole === 'guest') return `made by ${maker ?? 'a former member'}, who is no longer here`
  return `made by ${maker}, and does no more than ${makerRole === 'owner' ? 'an owner' : `a ${makerRole}`} may`
}

/** The rights of a key, as a cell of the list. */
export const RightsCell = ({ kind, scopes, perMinute, spend, ...made }: ShownRights) => (
  <td class="rights-of">
    {kind}
    {kind === 'secret' && <span class="under">{scopes === null ? 'everything' : scopes.join(', ') || 'nothing'}</span>}
    {made.madeBy !== null && <span class="under">{boundOf(made)}</span>}
    {perMinute !== undefined && <span class="under">{`${perMinute} requests a minute`}</span>}
    {spend && (
      <span class="under">
        <Nano raw={spend.spent} /> of <Nano raw={spend.daily} /> today
      </span>
    )}
  </td>
)
