import { existsSync } from 'node:fs'

/** The headless shell takes a third of the processor time of the whole browser, which is the fallback. */
const SHELL = '/usr/bin/chromium-headless-shell'

export const CHROMIUM = existsSync(SHELL) ? SHELL : '/usr/bin/chromium'
