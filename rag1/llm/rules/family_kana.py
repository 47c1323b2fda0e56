"""Women's names of old as they are written in kana, hiragana and katakana."""

from __future__ import annotations

from rag1.llm.rules.words import wordset

_HIRAGANA = wordset(
    "あい あき あさ いく いし いそ いち いと いね いよ いわ うた うの うめ えい えつ "
    "えん かおる かず かつ かな かね かほる かめ かよ きく きくの きし きち きぬ きみ "
    "きみえ きよ きわ くに くま くみ くめ くら くり けい けん こう こと この こま さい "
    "さき さく さくら さだ さち さつ さと さよ さわ しか しげ しず しづ しづえ しな しの "
    "しま しも しん すえ すが すぎ すず すて すま すみ すみれ せい せき せつ せん そで "
    "その そめ そよ たえ たか たき たけ たつ たね たま たみ たよ ちえ ちか ちせ ちづ "
    "ちよ ちよの つぎ つた つね つばき つや つゆ つる てい てつ てる とき とく とし "
    "としえ とせ とね とみ とめ とよ とら とわ なお なか なつ なみ なよ なを ぬい のぶ "
    "のり はつ はな はま はや はる はるえ ひさ ひで ひな ひろ ふき ふく ふさ ふじ ふで "
    "ふね ふみ ふみえ ふゆ まき まさ ます まち まつ まん みえ みき みさ みち みつ みつえ "
    "みな みね みの みや みよ みわ むめ むら もと もよ もん やえ やす やすえ やよ やゑ "
    "ゆう ゆき ゆみ ゆり よし よそ よね よの りう りえ りき りく りせ りつ りよ りん "
    "るい るん れい れん ろく わか わき わく わさ "
)
_TO_KATAKANA = str.maketrans({chr(code): chr(code + 96) for code in range(ord("ぁ"), ord("ゖ") + 1)})
KANA = _HIRAGANA | {name.translate(_TO_KATAKANA) for name in _HIRAGANA}
