/** In shorter names, which are ordinary words (`PORT`, `HOST`), a changed letter makes another word (`POST`). */
const WORD_LENGTH = 6
/** In shorter names, two replaced letters make another name (`SMTP_URL`, `SITE_URL`). */
const LONG_LENGTH = 8

const DISTANCE_MAX = 2

/**
 * Returns a function that finds the known name that a name probably stands for: one that differs only in case,
 * underscores, or one or two letters.
 */
export function openNearest(ours: Iterable<string>): (name: string) => string | undefined {
  const own = [...ours].map((name) => ({ name, letters: plain(name), set: setOf(plain(name)) }))
  return (given) => {
    const letters = plain(given)
    const set = setOf(letters)
    let found: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (const each of own) {
      if (bitsIn(set ^ each.set) > 2 * DISTANCE_MAX) continue
      const distance = distanceOf(letters, each.letters)
      if (distance <= allowed(each.letters.length) && distance < least) [found, least] = [each.name, distance]
    }
    return found
  }
}

const plain = (name: string) => name.toUpperCase().replaceAll('_', '')
const allowed = (length: number) => (length >= WORD_LENGTH ? DISTANCE_MAX : 1)

/** The letters of a name, one bit each. Adding, removing or replacing a letter changes at most two bits. */
function setOf(letters: string): number {
  let set = 0
  for (let at = 0; at < letters.length; at++) set |= 1 << (letters.charCodeAt(at) & 31)
  return set
}

function bitsIn(set: number): number {
  let count = 0
  for (let left = set; left !== 0; left &= left - 1) count++
  return count
}

/** How many letters were added, removed, replaced or swapped. Stops early if names differ too much. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > DISTANCE_MAX) return Number.POSITIVE_INFINITY
  const replacing = b.length < LONG_LENGTH ? 2 : 1
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  let leastAbove = 0
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    let leastHere = row
    for (let column = 1; column <= b.length; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1)
      let least = Math.min(above[column - 1]! + (same ? 0 : replacing), above[column]! + 1, line[column - 1]! + 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) least = Math.min(least, before[column - 2]! + 1)
      line.push(least)
      if (least < leastHere) leastHere = least
    }
    // A swap looks two rows back.
    if (leastHere > DISTANCE_MAX && leastAbove > DISTANCE_MAX) return Number.POSITIVE_INFINITY
    ;[before, above] = [above, line]
    leastAbove = leastHere
  }
  return above[b.length]!
}
