import type { Failures } from '../../src/kernel/failures.ts'

export interface HeardFailures extends Failures {
  /** Reported failures with place and ids. */
  heard: { place: string; error: unknown; ids: object }[]
  /** Losses by place. */
  losses: string[]
}

/** A failure reporter that records everything. */
export function receiveFailures(): HeardFailures {
  const heard: HeardFailures['heard'] = []
  const losses: string[] = []
  return {
    heard,
    losses,
    failed:
      (place, ids = {}) =>
      (error) => {
        if (!heard.some((known) => known.error === error)) heard.push({ place, error, ids })
      },
    lost: (place) => () => {
      losses.push(place)
    },
  }
}
