import { bandwidth } from './builtin/bandwidth.ts'
import { bird } from './builtin/bird.ts'
import { clicksend } from './builtin/clicksend.ts'
import { infobip } from './builtin/infobip.ts'
import { jasminHttp } from './builtin/jasmin-http.ts'
import { jasminRest } from './builtin/jasmin-rest.ts'
import { kannel } from './builtin/kannel.ts'
import { messagebird } from './builtin/messagebird.ts'
import { plivo } from './builtin/plivo.ts'
import { sinch } from './builtin/sinch.ts'
import { smscRu } from './builtin/smsc-ru.ts'
import { telnyx } from './builtin/telnyx.ts'
import { twilio } from './builtin/twilio.ts'
import { vonageMessages } from './builtin/vonage-messages.ts'
import { vonageSms } from './builtin/vonage-sms.ts'
import type { Profile } from './schema.ts'

/** The built-in providers. AWS is missing: it requires its own scheme of signed requests (SigV4). */
export const BUILT_IN: readonly Profile[] = [
  jasminRest,
  jasminHttp,
  kannel,
  twilio,
  vonageSms,
  vonageMessages,
  plivo,
  telnyx,
  infobip,
  bandwidth,
  sinch,
  bird,
  messagebird,
  clicksend,
  smscRu,
]
