/**
 * What may appear in commands to a switch. A switch interprets text from tenants: `${system(…)}` runs a command, and a
 * comma ends an argument. Text that does not match is never passed on.
 */

const NUMBER = /^\+?[0-9*#]{1,30}$/
/** The digits of an E.164 number. */
const E164 = /^[1-9][0-9]{6,14}$/
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/

/** What a phone dials, and the numbers of extensions, queues and DIDs. */
export const isFitNumber = (text: string): boolean => NUMBER.test(text)

/** Digits of a phone number of any country, without the plus. */
export const isFitE164 = (digits: string): boolean => E164.test(digits)

/** The slugs of tenants and the names of trunks. */
export const isFitName = (text: string): boolean => NAME.test(text)

export const isFitDomain = (text: string): boolean => DOMAIN.test(text)
