export { captchaAlphabet, captchaLength } from './alphabet.ts';
export { drawCaptcha } from './draw-captcha.ts';
