import { type ValuesOf, records, setting } from '../../kernel/setting.ts'

const REP_FACTS = ['alias', 'website', 'location', 'donation_address'] as const

const knownReps = (value: string) => {
  const entries = Object.entries(records(value)).map(([address, facts]) => {
    const known = REP_FACTS.filter((name) => facts[name] !== undefined).map((name) => [name, facts[name]])
    return [address, Object.fromEntries(known) as Partial<Record<(typeof REP_FACTS)[number], string>>]
  })
  return Object.fromEntries(entries) as Record<string, Partial<Record<(typeof REP_FACTS)[number], string>>>
}

export const REPRESENTATIVE_SETTINGS = {
  knownReps: setting(
    'KNOWN_REPS',
    '{}',
    knownReps,
    'Known representatives, as JSON: address → { alias, website, location, donation_address }.',
  ),
} as const

export type RepresentativeSettings = ValuesOf<typeof REPRESENTATIVE_SETTINGS>
