import type { Clock, Random } from '../../../kernel/ports.ts'
import type { FoundDevice } from './device.ts'
import { findDevices } from './find.ts'
import { CardSource } from './source.ts'

interface CardsOptions {
  /** Which cards to use, counted from 0; undefined for all. */
  cards: readonly number[] | undefined
  /** Threads of the processor; 0 to not use it. */
  threads: number
  random: Random
  clock: Clock
  /** Called for each device that was found; it can be used after it has been measured. */
  onFound(source: CardSource): void
  onReady(source: CardSource): void
  onFailure(event: { engine: string; reason: string }): void
}

/** Opens the devices of this machine's drivers. Drivers are slow, so the start does not wait for this. */
export async function openCards({ cards, threads, random, clock, ...on }: CardsOptions): Promise<void> {
  const devices = await findDevices()
  const found = devices.filter(({ kind }) => kind === 'card')
  const chosen = cards === undefined ? found : cards.map((index) => found[index])
  chosen.forEach((card, position) => {
    if (!card) on.onFailure({ engine: `card ${cards![position]}`, reason: `There are ${found.length} cards here.` })
  })
  const processor = threads > 0 ? devices.find(({ kind }) => kind === 'cpu') : undefined
  for (const device of [...chosen, processor]) {
    if (!device) continue
    const source = new CardSource({
      name: nameOf(device, found),
      device,
      random,
      clock,
      threads,
      onReady: on.onReady,
      onLost: ({ name }, reason, last) =>
        on.onFailure({ engine: name, reason: last ? `${reason} It is not started again.` : reason }),
    })
    on.onFound(source)
  }
}

/** Two cards of the same model are distinguished by their number. */
function nameOf(device: FoundDevice, cards: readonly FoundDevice[]): string {
  if (device.kind === 'cpu') return 'cpu-opencl'
  const isOnly = cards.filter(({ name }) => name === device.name).length === 1
  return isOnly ? device.name : `${device.name} ${cards.indexOf(device)}`
}
