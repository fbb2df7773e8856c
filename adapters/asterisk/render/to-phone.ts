import { exten, section } from './lines.ts'

/** The context with a subroutine that runs on the channel to each phone, before it is called. */
const CHECKED = 'tl-phone'

/** The option of Dial and Queue that has each phone checked. */
export const TO_PHONE = `b(${CHECKED}^s^1)`

/** The beginnings of users that no carrier takes for a number: of a SIP user, of a random name, and of none at all. */
const NO_NUMBER = '^sips?:([A-Za-z_]|[0-9][0-9]?[0-9]?[0-9]?[A-Za-z]|[0-9]+-0x|[^@]*$)'
/** An extension with more digits could be a carrier's number. */
const LONGEST_OWN = 6

/**
 * Renders the check of the address that a phone has registered. Asterisk replaces the host of the first address in a
 * REGISTER by where that came from, and believes the others: with one of them, a phone has calls to itself sent to a
 * carrier, as a call to any number, free and without limits.
 */
export const phoneCheck = (): string =>
  section(CHECKED, [
    exten(
      's',
      `Set(LOCAL(uri)=\${CHANNEL(pjsip,target_uri)})`,
      `Set(LOCAL(own)=\${FILTER(0-9,\${TL_EXT})})`,
      `GotoIf($[\${REGEX("${NO_NUMBER}" \${uri})} = 1]?right)`,
      `GotoIf($[\${REGEX("^sips?:\${own}@" \${uri})} = 1 & \${LEN(\${own})} < ${LONGEST_OWN + 1}]?right)`,
      'Hangup(21)',
      '(right)Return()',
    ),
  ])
