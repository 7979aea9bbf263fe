import type { MemberRole, Scope } from '../../../kernel/rights.ts'
import { Nano } from '../../../web/dashboard/show.tsx'

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
