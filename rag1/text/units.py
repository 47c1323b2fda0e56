"""Counters and units of measure that follow a number."""

from __future__ import annotations

import re

_COUNTERS = """
世紀 年間 年前 年後 年 ヶ月間 か月間 カ月間 箇月間 ヶ月 か月 カ月 ケ月 箇月 個月 月 週間 日間 日目 日 時間 時
分間 分 秒間 秒 歳 才 世 代 番目 番 回目 回 度 遍 人目 人前 人組 人 名 匹 頭 羽 尾 疋 本 冊 枚 軒 戸 台 隻 艘
艇 個 箇所 個所 か所 ヶ所 カ所 ケ所 か国 ヶ国 カ国 ケ国 個国 箇国 国 種類 種 通り 通 件 校 社 室 階 段 章 節
号室 号 つ 杯 膳 皿 切れ 滴 粒 束 把 俵 缶 箱 袋 瓶 足 着 組 対 挺 丁目 丁 町歩 町 間 尺 寸 丈 里 哩 坪 反 畝
貫目 貫 匁 斤 石 斗 升 合 円 圓 銭 錢 厘 両 文 ドル 弗 ポンド フラン マルク ルーブル セント 割 パーセント % ％
キロメートル キロメーター 粁 キログラム 瓩 キロ センチメートル センチ 糎 ミリメートル ミリ メートル メーター
米突 グラム トン 噸 リットル マイル フィート 呎 インチ 吋 行 字 句 首 話 点 票 発 口 幕 場 条 倍 夜 晩 朝 泊 畳
層 巻 曲 歩 連 ㎞ ㎝ ㎜ ㎏ km cm mm kg mg ml m g t
"""
COUNTER = re.compile("|".join(sorted(map(re.escape, set(_COUNTERS.split())), key=len, reverse=True)))

_ALIKE = {
    "km": "キロメートル キロメーター 粁 ㎞",
    "cm": "センチメートル 糎 ㎝",
    "mm": "ミリメートル ㎜",
    "m": "メートル メーター 米突",
    "kg": "キログラム 瓩 ㎏",
    "g": "グラム",
    "t": "トン 噸",
    "%": "パーセント ％",
    "ドル": "弗",
    "マイル": "哩",
    "フィート": "呎",
    "インチ": "吋",
    "円": "圓",
    "銭": "錢",
    "歳": "才",
    "か月": "ヶ月 カ月 ケ月 箇月 個月",
    "か月間": "ヶ月間 カ月間 箇月間",
    "か所": "箇所 個所 ヶ所 カ所 ケ所",
    "か国": "ヶ国 カ国 ケ国 個国 箇国",
}
CANONICAL = {spelling: unit for unit, spellings in _ALIKE.items() for spelling in spellings.split()}
"""Spelling of a unit to the one that stands for all of its spellings."""

PARTS = {
    ("円", "銭"): 100,
    ("円", "厘"): 1000,
    ("銭", "厘"): 10,
    ("丈", "尺"): 10,
    ("尺", "寸"): 10,
    ("間", "尺"): 6,
    ("里", "町"): 36,
    ("貫", "匁"): 1000,
    ("石", "斗"): 10,
    ("斗", "升"): 10,
    ("升", "合"): 10,
    ("時間", "分"): 60,
    ("分", "秒"): 60,
    ("年", "か月"): 12,
}
"""How many of the smaller unit make one of the larger."""
