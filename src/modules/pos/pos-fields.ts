import { badField } from '../../kernel/errors.ts'
import { readFreeFlag } from '../../kernel/free-field.ts'
import { INVISIBLE, given, readText } from '../../kernel/shown-fields.ts'
import { type CheckoutRoom, readCheckout, readPrice } from '../checkout/index.ts'
import { isTimeZone } from '../../kernel/calendar.ts'
import type { PointOfSale, PosItem } from './store.ts'

type Body = Readonly<Record<string, unknown>>

const TITLE_MAX = 80
const ITEM_TITLE_MAX = 60
const ITEMS_MAX = 60
const TIPS_MAX = 4
const TIP_MAX = 100
const PIN = /^[0-9]{4,8}$/

type Terms = Pick<PointOfSale, 'title' | 'currency' | 'address' | 'items' | 'tips' | 'timeZone' | 'isPaused'>

/** Reads all terms of a point of sale; the first wrong one is named. */
export function readTerms({ ports }: CheckoutRoom, body: Body): Terms {
  const title = readText('title', body.title, TITLE_MAX, INVISIBLE)
  if (title === null) throw badField('title', 'The field title is required.')
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: ports.rules.plainHttpAllowed }
  // Read as those of a checkout are, because checkouts are made of them.
  const { currency, address } = readCheckout({ currency: body.currency, address: body.address }, rules)
  if (address === undefined) throw badField('address', 'The field address is required.')
  return {
    title,
    currency,
    address,
    items: readItems(body.items, currency),
    tips: readTips(body.tips),
    timeZone: readTimeZone(body.time_zone),
    isPaused: readFreeFlag('paused', body.paused) ?? false,
  }
}

/** How its terms would have been sent: a change is laid over them and read as a whole. */
export const toBody = ({ title, currency, address, items, tips, timeZone, isPaused }: PointOfSale) => ({
  title,
  currency,
  address,
  items: items.map((item) => ({ ...item })),
  tips,
  time_zone: timeZone,
  paused: isPaused,
})

function readItems(value: unknown, currency: string): PosItem[] {
  const items = given(value) ?? []
  if (!Array.isArray(items) || items.length > ITEMS_MAX) {
    throw badField('items', `items must be a list of up to ${ITEMS_MAX} items.`)
  }
  return items.map((item: unknown, at): PosItem => {
    const field = (name: string) => `items[${at}].${name}`
    if (typeof item !== 'object' || item === null) throw badField(`items[${at}]`, 'An item is an object.')
    const { title, price, image } = item as Body
    // A page that works without the network shows no pictures of others.
    if (given(image) !== undefined) throw badField(field('image'), 'Items cannot have images.')
    const shown = readText(field('title'), title, ITEM_TITLE_MAX, INVISIBLE)
    if (shown === null) throw badField(field('title'), 'An item needs a title.')
    const read = readPrice(field('price'), price, currency)
    if (!read || read.kind === 'wildcards') throw badField(field('price'), 'An item needs a price.', 'invalid_amount')
    return { title: shown, price: read.text }
  })
}

function readTips(value: unknown): number[] {
  const tips = given(value) ?? []
  if (!Array.isArray(tips) || tips.length > TIPS_MAX) {
    throw badField('tips', `tips must be a list of up to ${TIPS_MAX} percentages.`)
  }
  return tips.map((tip: unknown) => {
    const text = typeof tip === 'number' || typeof tip === 'string' ? String(tip).trim() : ''
    if (!/^[1-9][0-9]{0,2}$/.test(text) || Number(text) > TIP_MAX) {
      throw badField('tips', `A tip must be a whole percentage from 1 to ${TIP_MAX}.`)
    }
    return Number(text)
  })
}

function readTimeZone(value: unknown): string {
  const zone = given(value)
  if (zone === undefined) return 'UTC'
  if (typeof zone !== 'string' || zone.length > 60 || !isTimeZone(zone)) {
    throw badField('time_zone', 'time_zone must be a time zone such as Europe/Berlin.')
  }
  return zone
}

/**
 * The PIN that is asked for from now on: undefined leaves it as it is, null takes it away. `pin_required` alone says no PIN, and
 * cannot be true without one.
 */
export function readPin(body: Body, hasOne: boolean): string | null | undefined {
  const isWanted = readFreeFlag('pin_required', body.pin_required)
  if (isWanted === false) return null
  if (given(body.pin) === undefined) {
    if (isWanted === true && !hasOne) throw badField('pin', 'pin must be 4 to 8 digits.')
    return body.pin === null ? null : undefined
  }
  const pin = typeof body.pin === 'string' ? body.pin.trim() : ''
  if (!PIN.test(pin)) throw badField('pin', 'pin must be a text of 4 to 8 digits.')
  return pin
}
