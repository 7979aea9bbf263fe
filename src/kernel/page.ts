import type { VNode } from 'preact'
import type { Ctx } from './ctx.ts'
import type { Idempotency } from './idempotency.ts'
import type { Degree, MemberRole, Permission } from './rights.ts'
import type { AccountCaller } from './route.ts'
import type { JsonObject } from './shape.ts'

/* Pages and forms of the dashboard, as rooms declare them: plain data. `src/http/dashboard.tsx` is the one door they stand behind. */

interface Placed {
  /** Below `/dashboard`. A form's path is also what its repeated requests are found by, and stays. */
  path: string
  /** The entry of the menu that is lit; the path itself where nothing is said. */
  section?: string
  /** Who may enter, of those who are signed in: for others it does not exist. Developers play with the development ledger. */
  door?: 'administrator' | 'developer'
  /** The row of the table of roles that it belongs to; `none` is for everybody who is signed in. */
  permission: Permission | 'none'
  /** Also for those who must add a passkey before anything else. */
  unenrolled?: true
  /** What a redirect here may say was done, by its word in `?done=`. */
  done?: Readonly<Record<string, string>>
}

/** What a signed-in person may see. */
export interface Page extends Placed {
  /** Its guide is a page of the documents, `webhooks#the-secret`, that every page of the section leads to. */
  menu?: { title: string; order: number; guide?: string }
  /** What it takes, where looking is not enough: it holds a form alone, or shows a secret. */
  degree?: Degree
  render(request: PageRequest): VNode | Promise<VNode>
}

/** What a signed-in person may change: sent twice, it counts once. */
export interface Form extends Placed {
  /** It moves money, makes keys or changes people: who sends it must have proved lately who they are. */
  proof?: true
  /** Where it leads, or what it shows once: that page is not an address, because it must not be found again. */
  run(request: PageRequest, fields: FormFields, idempotency: Idempotency): Promise<Outcome>
  show?(request: PageRequest, shown: JsonObject): VNode | Promise<VNode>
  /** The page that holds the form, with what was typed and what was wrong. */
  again(request: PageRequest, state: FormState): Promise<VNode>
}

/** With the token of another session, where who is signed in goes on as somebody else. */
export type Outcome = { to: string; session?: string } | { shown: JsonObject }

/** A page, or a form on one, for those who are not signed in. */
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
  /** With the token of the session that begins. */
  | { to: string; session?: string }

/** A request of a signed-in person. */
export interface PageRequest {
  accountId: string
  isAdmin: boolean
  caller: AccountCaller
  /** Whether they may do what a row of the table of roles is about. */
  may(permission: Permission, degree?: Degree): boolean
  /** Runs what is metered and charges the account for it, as a call would be. */
  charged: Ctx['charged']
  frame: FrameProps
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
}

/** What a form has sent. */
export interface FormFields {
  /** Without the spaces that come along when something is pasted; empty when there is none. */
  get(name: string): string
  all(name: string): string[]
  /** Everything that was typed, to show it again; never what is secret. */
  typed(): Record<string, string>
  /** Only what is not empty: forms send every field. */
  given(names: readonly string[]): Record<string, string>
}

/** What was typed, and what was wrong with it; a form that is refused shows both. */
export interface FormState {
  values: Readonly<Record<string, string>>
  error?: { field: string | undefined; text: string } | undefined
  /** Everything that was wrong, by its field, where all of it was looked at. */
  errors?: Readonly<Record<string, string>> | undefined
}

/** What every page of the dashboard knows: who looks at it, where, and what its forms must carry. */
export interface FrameProps {
  /** The section that is open, as its path. */
  section: string
  /** What they may see, in order. */
  menu: readonly MenuEntry[]
  account: { id: string; email: string | null; role: 'user' | 'admin' }
  /** Who looks at it, where it is a member; undefined for who has signed in with a key. */
  member: { id: string; email: string; role: MemberRole } | undefined
  /** Whether an address of the dashboard is for them, by what its page or form has declared. */
  opens(method: 'GET' | 'POST', href: string): boolean
  /** Proves that a form comes from a page of this session. */
  csrf: string
  /** Makes a form that is sent twice count once. */
  formToken: string
  devnet: boolean
  /** Whether they may play with the development ledger. */
  plays: boolean
  /** When it was read, where it can be read again at its address. */
  readAt?: number | undefined
  /** What was just done, or why it was not. */
  notice?: { kind: 'done' | 'failed'; text: string; ways?: readonly Way[] } | undefined
  /** Where the documents tell of this section. */
  guide?: string | undefined
}

/** Where to go on from a notice. */
interface Way {
  href: string
  title: string
}

export interface MenuEntry {
  href: string
  title: string
  guide?: string
  door: Placed['door']
}
