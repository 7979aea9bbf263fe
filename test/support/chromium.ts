import { existsSync } from 'node:fs'

/** Chromium without a window takes a third of the processor time of the whole browser; where it cannot be had, that one serves. */
const SHELL = '/usr/bin/chromium-headless-shell'

export const CHROMIUM = existsSync(SHELL) ? SHELL : '/usr/bin/chromium'
