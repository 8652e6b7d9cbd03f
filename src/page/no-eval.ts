/** Before any schema is made: the content security policy lets nobody make code of text, so the schemas do not try to. */
import { config } from 'zod/v4/core';

config({ jitless: true });
