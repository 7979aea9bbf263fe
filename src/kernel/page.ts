import type { VNode } from 'preact'
import type { Ctx } from './ctx.ts'
import type { Idempotency } from './idempotency.ts'
import type { Degree, MemberRole, Permission } from './rights.ts'
import type { AccountCaller } from './route.ts'
import type { JsonObject } from './shape.ts'

/* Pages and forms of the dashboard, as modules declare them: plain data. Only `src/http/dashboard.tsx` serves them. */

/** The groups of the menu, in order. The pages of a group are tabs at its top. */
export const GROUPS = ['home', 'payments', 'sell', 'money', 'developers', 'settings', 'operator'] as const

export type Group = (typeof GROUPS)[number]

interface Placed {
  /** Below `/dashboard`. The path of a form must not change, because repeated requests are found by it. */
  path: string
  /** The highlighted entry of the menu; by default the path itself. */
  section?: string
  /** Who of those signed in may use it: for others it does not exist. Developers are those who may act on the development ledger. */
  access?: 'administrator' | 'developer'
  /** The permission that it needs; `none` is for everybody who is signed in. */
  permission: Permission | 'none'
  /** Whether people who must add a passkey first may use it, too. */
  unenrolled?: true
  /** Messages that a redirect to this page may show, by the word in `?done=`. */
  done?: Readonly<Record<string, string>>
}

/** A page for people who are signed in. */
export interface Page extends Placed {
  /** `guide` is a page of the documents, as in `webhooks#the-secret`, to which every page of the section links. */
  menu?: {
    title: string
    group: Group
    order: number
    guide?: string
    /** How many things wait there, which the menu shows. */
    count?(accountId: string): Promise<number>
  }
  /** The degree of permission where seeing is not enough: the page is only a form, or shows a secret. */
  degree?: Degree
  render(request: PageRequest): VNode | Promise<VNode>
}

/** A form for people who are signed in: sent twice, it acts once. */
export interface Form extends Placed {
  /** It moves money, makes keys or changes people: its sender must have confirmed their identity recently. */
  proof?: true
  /** The fields with the address of a picture that may be uploaded with the form, as the file of `<name>.file`. */
  pictures?: readonly string[]
  /** Returns where it redirects to, or what it shows once: that page has no address, because it must not be found again. */
  run(request: PageRequest, fields: FormFields, idempotency: Idempotency): Promise<Outcome>
  show?(request: PageRequest, shown: JsonObject): VNode | Promise<VNode>
  /** Renders the page of the form again, with what was typed and what was wrong. */
  again(request: PageRequest, state: FormState): Promise<VNode>
}

/** `session` is the token of another session, where the visitor continues as another person. */
export type Outcome = { to: string; session?: string } | { shown: JsonObject }

/** A page, or a form on one, for visitors who are not signed in. */
export interface OpenPage {
  method: 'GET' | 'POST'
  path: string
  answer(request: OpenRequest): Promise<OpenReply>
}

interface OpenRequest {
  /** The client's network address, as far as it can be trusted. */
  ip: string
  query: Readonly<Record<string, string>>
  fields: FormFields
}

export type OpenReply =
  | { page: VNode; status?: number; retryAfterSeconds?: number | undefined }
  /** `session` is the token of the session that begins. */
  | { to: string; session?: string }

/** A request of a signed-in person. */
export interface PageRequest {
  accountId: string
  isAdmin: boolean
  caller: AccountCaller
  /** Whether the person has a permission. */
  may(permission: Permission, degree?: Degree): boolean
  /** Runs something metered and charges the account for it, as a call would. */
  charged: Ctx['charged']
  frame: FrameProps
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
}

/** The fields that a form has sent. */
export interface FormFields {
  /** Without the surrounding spaces that pasting adds; empty when absent. */
  get(name: string): string
  all(name: string): string[]
  /** Everything that was typed, to show it again; never secrets. */
  typed(): Record<string, string>
  /** Only fields that are not empty: forms send every field. */
  given(names: readonly string[]): Record<string, string>
}

/** What a refused form shows: what was typed, and what was wrong with it. */
export interface FormState {
  values: Readonly<Record<string, string>>
  error?: { field: string | undefined; text: string } | undefined
  /** Every error by its field, where all fields were checked. */
  errors?: Readonly<Record<string, string>> | undefined
}

/** What every page of the dashboard needs: the visitor, the place, and what its forms must send. */
export interface FrameProps {
  /** The path of the current section. */
  section: string
  /** Whether the page belongs to its section without being it, such as one item of a list. */
  isWithin: boolean
  /** The account as its people know it. */
  shop: ShopLook
  /** The entries that this visitor may see, in order. */
  menu: readonly MenuEntry[]
  account: { id: string; email: string | null; role: 'user' | 'admin' }
  /** The member who is signed in; undefined for a visitor who signed in with a key. */
  member: { id: string; email: string; role: MemberRole } | undefined
  /** Whether the visitor may use an address of the dashboard, as its page or form has declared. */
  opens(method: 'GET' | 'POST', href: string): boolean
  /** Proves that a form comes from a page of this session. */
  csrf: string
  /** Makes a form that is sent twice count once. */
  formToken: string
  devnet: boolean
  /** Whether the visitor may act on the development ledger. */
  plays: boolean
  /** When the data was read; set where the page can be read again at its address. */
  readAt?: number | undefined
  /** What was just done, or why it was not. */
  notice?: { kind: 'done' | 'failed'; text: string; ways?: readonly Way[] } | undefined
  /** The guide about this section. */
  guide?: string | undefined
}

/** A link in a notice. */
interface Way {
  href: string
  title: string
}

/** What a page shows of the account itself. */
export interface ShopLook {
  name: string | null
  /** A URL on our own pages. */
  logo: string | null
  /** The currency that amounts are shown in first; `NANO` until one is chosen. */
  currency: string
  /** Its days end at midnight here. */
  timeZone: string
}

export interface MenuEntry {
  href: string
  title: string
  group: Group
  guide?: string
  access: Placed['access']
  /** How many things wait there. */
  waiting?: number
}
