import { createHash } from 'node:crypto'
import type { Actor } from '../../../kernel/actor.ts'
import { isTimeZone } from '../../../kernel/calendar.ts'
import type { Db } from '../../../kernel/db.ts'
import { badField } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Logos, PictureFault, SizedPicture } from '../../../kernel/ports.ts'
import { INVISIBLE, given, readText, readUrl } from '../../../kernel/shown-fields.ts'
import { type Profile, deleteLogo, findProfile, saveLogo, saveProfile } from '../profile-store.ts'
import { insertAudit, lockAccount } from '../store.ts'
import { EMAIL_PATTERN } from '../wire-fields.ts'

const ID_LENGTH = 32
const FAULTS: Record<PictureFault, string> = {
  not_there: 'No picture could be fetched from this address.',
  too_large: 'The picture is larger than 512 KB.',
  not_a_picture: 'logo must be a still picture in PNG, JPEG or WebP.',
  wrong_size: 'The sides of the picture must have 16 to 2048 pixels.',
}

interface Changing {
  accountId: string
  actor: Actor
  change: ProfileChange
}

/** Changes an account's public profile. When a URL of a logo is given, the logo is fetched first. */
export async function changeProfile(
  ctx: StoreCtx,
  logos: Logos,
  { accountId, actor, change }: Changing,
): Promise<Profile> {
  const picture = change.logoUrl ? await fetchPicture(logos, change.logoUrl) : undefined
  return inTx(ctx, async (tx) => {
    // Locked, so that of two concurrent changes of different fields both take effect.
    await lockAccount(tx.db, accountId)
    const logoId = picture ? toLogoId(picture) : null
    const profile = {
      ...(await findProfile(tx.db, accountId)),
      ...change,
      ...(change.logoUrl !== undefined && { logoId }),
      updatedAt: tx.clock.now(),
    }
    await saveProfile(tx.db, accountId, profile)
    if (picture) await saveLogo(tx.db, accountId, logoId!, picture)
    else if (change.logoUrl === null) await deleteLogo(tx.db, accountId)
    await insertAudit(tx, { actor, accountId, what: 'profile.changed', detail: { fields: Object.keys(change) } })
    return profile
  })
}

async function fetchPicture(logos: Logos, url: string): Promise<SizedPicture> {
  const fetched = await logos.get(url)
  if (typeof fetched === 'string') throw badField('logo', FAULTS[fetched])
  return fetched
}

const toLogoId = ({ bytes }: SizedPicture) => createHash('sha256').update(bytes).digest('hex').slice(0, ID_LENGTH)

/** The merchant as payers see them. */
export interface Merchant {
  name: string
  /** A URL on our own pages. */
  logo: string | null
  supportEmail: string | null
  supportUrl: string | null
  termsUrl: string | null
  website: string | null
  /** The URL of the style sheet with their colour. */
  sheet: string | null
  /** The same for mails: the colour and a readable text on it. */
  colours: { fill: string; ink: string } | null
}

/** Undefined for an account without a public name: payers then see only the address. */
export async function findMerchant(db: Db, accountId: string): Promise<Merchant | undefined> {
  return toMerchant(await findProfile(db, accountId))
}

export function toMerchant(profile: Profile): Merchant | undefined {
  const { name, logoId, supportEmail, supportUrl, termsUrl, website, accent } = profile
  if (name === null) return undefined
  return {
    name,
    logo: logoId === null ? null : `/logos/${logoId}`,
    supportEmail,
    supportUrl,
    termsUrl,
    website,
    sheet: accent === null ? null : `/accents/${accent.slice(1)}.css`,
    colours: accent === null ? null : paintOf(accent),
  }
}

const NAME_MAX = 80
const ZONE_MAX = 64
const EMAIL = new RegExp(EMAIL_PATTERN)

type Body = Readonly<Record<string, unknown>>
type ProfileChange = Partial<Omit<Profile, 'logoId' | 'updatedAt'>>

interface ProfileRules {
  plainHttpAllowed: boolean
  /** Codes that have a price. */
  currencies: readonly string[]
}

/** Reads only the fields in the body; `null` or an empty text removes a value. */
export function readProfile(body: Body, rules: ProfileRules): ProfileChange {
  const change: ProfileChange = {}
  if (body.name !== undefined) change.name = readText('name', body.name, NAME_MAX, INVISIBLE)
  // The module that fetches decides which URLs are allowed, for every scheme and port.
  if (body.logo !== undefined) change.logoUrl = readUrl('logo', body.logo, { plainHttpAllowed: true })
  if (body.support_email !== undefined) change.supportEmail = readSupportEmail(body.support_email)
  if (body.support_url !== undefined) change.supportUrl = readUrl('support_url', body.support_url, rules)
  if (body.terms_url !== undefined) change.termsUrl = readUrl('terms_url', body.terms_url, rules)
  if (body.website !== undefined) change.website = readUrl('website', body.website, rules)
  if (body.accent !== undefined) change.accent = readAccent(body.accent)
  if (body.currency !== undefined) change.currency = readShopCurrency(body.currency, rules)
  if (body.time_zone !== undefined) change.timeZone = readTimeZone(body.time_zone)
  return change
}

function readSupportEmail(value: unknown): string | null {
  const email = given(value)
  if (email === undefined) return null
  if (typeof email !== 'string' || !EMAIL.test(email)) throw badField('support_email', 'Invalid email', 'invalid_email')
  return email
}

function readShopCurrency(value: unknown, { currencies }: ProfileRules): string | null {
  const code = given(value)
  if (code === undefined || code === 'NANO') return null
  const known = currencies.find((one) => one === code)
  if (known === undefined) throw badField('currency', 'Unsupported currency.', 'invalid_currency')
  return known
}

function readTimeZone(value: unknown): string | null {
  const zone = given(value)
  if (zone === undefined) return null
  if (typeof zone === 'string' && zone.length <= ZONE_MAX && isTimeZone(zone)) return zone
  throw badField('time_zone', 'time_zone must be a time zone such as Europe/Berlin.')
}

function readAccent(value: unknown): string | null {
  const colour = given(value)
  if (colour === undefined) return null
  const accent = typeof colour === 'string' ? toAccent(colour) : undefined
  if (accent === undefined) throw badField('accent', 'accent must be a colour such as #1a5fc7.')
  return accent
}

/* The colours of an account on its payment pages. Whatever colour it chooses, texts keep a contrast of 4.5 (WCAG AA). */

type Rgb = readonly [number, number, number]

interface Theme {
  paper: Rgb
  panel: Rgb
  edge: string
  /** The colour towards which an unreadable colour is shifted. */
  towards: Rgb
}

const AA = 4.5
const AA_SHAPES = 3
const STEPS = 100
const SOFT_SHARE = 0.12
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
/** The background colours of `src/web/assets/gateway.css`; a test compares them. */
export const THEMES: Record<'light' | 'dark', Theme> = {
  light: { paper: WHITE, panel: [0xf4, 0xf7, 0xfa], edge: '#7b8a98', towards: BLACK },
  dark: {
    paper: [0x0f, 0x16, 0x1d],
    panel: [0x18, 0x22, 0x2c],
    edge: '#6d7f90',
    towards: WHITE,
  },
}

/** The merchant's colour as `#1a5fc7`; undefined when the text is not a colour. */
export function toAccent(text: string): string | undefined {
  const [, digits] = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const six = digits.length === 6 ? digits : [...digits].map((digit) => digit + digit).join('')
  return `#${six.toLowerCase()}`
}

const toRgb = (accent: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16)) as never
const toHex = (colour: Rgb) => `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
const mix = (one: Rgb, other: Rgb, share: number): Rgb =>
  one.map((part, at) => Math.round(part * (1 - share) + other[at]! * share)) as never

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const level = part / 255
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

function paintOf(accent: string) {
  const { fill, fillInk } = coloursIn(THEMES.light, accent)
  return { fill: toHex(fill), ink: toHex(fillInk) }
}

interface Colours {
  /** The colour of texts, and of the focus ring. */
  accent: Rgb
  /** The background of buttons: the merchant's colour itself. */
  fill: Rgb
  fillInk: Rgb
  soft: Rgb
  edge: string
}

/** The readable colours of a theme that come closest to the merchant's colour. */
export function coloursIn({ paper, panel, edge, towards }: Theme, accent: string): Colours {
  const fill = toRgb(accent)
  const soft = mix(paper, fill, SOFT_SHARE)
  const isRead = (colour: Rgb) => [paper, panel, soft].every((ground) => contrast(colour, ground) >= AA)
  let text = fill
  for (let step = 1; step <= STEPS && !isRead(text); step++) text = mix(fill, towards, step / STEPS)
  return {
    accent: text,
    fill,
    fillInk: contrast(fill, WHITE) >= contrast(fill, BLACK) ? WHITE : BLACK,
    soft,
    // A button in the colour of the page needs a visible edge.
    edge: contrast(fill, paper) >= AA_SHAPES ? toHex(fill) : edge,
  }
}

/** The style sheet that a page loads after the shared ones. It has a URL of its own, because pages may contain no inline styles. */
export function accentSheet(accent: string): string {
  const rules = (theme: Theme) => {
    const { accent: text, fill, fillInk, soft, edge } = coloursIn(theme, accent)
    return (
      `.pay{--accent:${toHex(text)};--accent-ink:${toHex(theme.paper)};--accent-soft:${toHex(soft)}}` +
      `.pay .button:not(.quiet){background:${toHex(fill)};color:${toHex(fillInk)};border-color:${edge}}`
    )
  }
  return `${rules(THEMES.light)}@media (prefers-color-scheme:dark){${rules(THEMES.dark)}}\n`
}
