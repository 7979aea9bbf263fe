import type { VNode } from 'preact'
import type { Ctx } from './ctx.ts'
import type { Idempotency } from './idempotency.ts'
import type { Degree, MemberRole, Permission } from './rights.ts'
import type { AccountCaller } from './route.ts'
import type { JsonObject } from './shape.ts'

/* Pages and forms of the dashboard as modules declare them. Only `src/http/dashboard.tsx` serves them. */

/** The groups of the menu, in order. The pages of a group are shown as tabs. */
export const GROUPS = ['home', 'payments', 'sell', 'money', 'developers', 'settings', 'operator'] as const

export type Group = (typeof GROUPS)[number]

interface Placed {
  /** Below `/dashboard`. The path of a form must not change, because repeated requests are recognised by it. */
  path: string
  /** The highlighted entry of the menu; by default the page's own path. */
  section?: string
  /**
   * Who of the signed-in people may use it; for others it does not exist. Developers are those who may act on the
   * development ledger.
   */
  access?: 'administrator' | 'developer'
  /** The permission that it requires; `none` is for everybody who is signed in. */
  permission: Permission | 'none'
  /** Whether it may also be used by people who must first add a passkey. */
  unenrolled?: true
  /** Messages that this page may show after a redirect, by the word in `?done=`. */
  done?: Readonly<Record<string, string>>
}

export interface Page extends Placed {
  /** `guide` is a page of the documents, as in `webhooks#the-secret`; every page of the section links to it. */
  menu?: {
    title: string
    group: Group
    order: number
    guide?: string
    /** The number shown beside the entry: how many things need attention there. */
    count?(accountId: string): Promise<number>
  }
  /** The degree of permission, if seeing is not enough: the page consists of a form, or shows a secret. */
  degree?: Degree
  render(request: PageRequest): VNode | Promise<VNode>
}

/** A form for signed-in people. Sent twice, it acts once. */
export interface Form extends Placed {
  /** It moves money, makes keys or changes people, so the sender must have confirmed their identity recently. */
  proof?: true
  /** The fields with the address of a picture that may be uploaded with the form, as the file of `<name>.file`. */
  pictures?: readonly string[]
  /**
   * Returns where to redirect, or what to show once. What is shown once has no address, because nobody may open it
   * again.
   */
  run(request: PageRequest, fields: FormFields, idempotency: Idempotency): Promise<Outcome>
  show?(request: PageRequest, shown: JsonObject): VNode | Promise<VNode>
  /** Renders the form's page again, with what was typed and what was wrong. */
  again(request: PageRequest, state: FormState): Promise<VNode>
}

/** `session` is the token of a new session, if the visitor continues as somebody else. */
export type Outcome = { to: string; session?: string } | { shown: JsonObject }

/** A page, or a form on one, for visitors who are not signed in. */
export interface OpenPage {
  method: 'GET' | 'POST'
  path: string
  answer(request: OpenRequest): Promise<OpenReply>
}

interface OpenRequest {
  /** The client's network address, determined with trusted proxies only. */
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
  /** Runs a metered operation and charges the account for it, as a call by program would be. */
  charged: Ctx['charged']
  frame: FrameProps
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
}

/** The fields that a form has sent. */
export interface FormFields {
  /** Without spaces around it, which pasting adds; empty if absent. */
  get(name: string): string
  all(name: string): string[]
  /** What was typed, to show it again; without secrets. */
  typed(): Record<string, string>
  /** Only the fields that are not empty, because forms send every field. */
  given(names: readonly string[]): Record<string, string>
}

/** What a form shows after a refusal: what was typed, and what was wrong. */
export interface FormState {
  values: Readonly<Record<string, string>>
  error?: { field: string | undefined; text: string } | undefined
  /** All errors by field, if all fields were checked. */
  errors?: Readonly<Record<string, string>> | undefined
}

/** What every page of the dashboard needs: the visitor, the current section, and what its forms must send. */
export interface FrameProps {
  /** The path of the current section. */
  section: string
  /** Whether the page is inside its section, such as one entry of a list. */
  isWithin: boolean
  /** How the account looks to its people. */
  shop: ShopLook
  /** The entries that this visitor may see, in order. */
  menu: readonly MenuEntry[]
  account: { id: string; email: string | null; role: 'user' | 'admin' }
  /** The member who is signed in; undefined for a visitor who signed in with a key. */
  member: { id: string; email: string; role: MemberRole } | undefined
  /** Whether the visitor may use an address of the dashboard, as the page or form declares. */
  opens(method: 'GET' | 'POST', href: string): boolean
  /** Proves that a form comes from a page of this session. */
  csrf: string
  /** Sent with a form, so that a form that is sent twice counts once. */
  formToken: string
  devnet: boolean
  /** Whether the visitor may act on the development ledger. */
  plays: boolean
  /** When the data was read; undefined if the page cannot be read again at its address. */
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

/** What pages show about the account. */
export interface ShopLook {
  name: string | null
  /** A URL on our own pages. */
  logo: string | null
  /** The currency in which amounts are shown first; `NANO` until the account chooses one. */
  currency: string
  /** The time zone in which its days begin. */
  timeZone: string
}

export interface MenuEntry {
  href: string
  title: string
  group: Group
  guide?: string
  access: Placed['access']
  /** How many things need attention there. */
  waiting?: number
}
