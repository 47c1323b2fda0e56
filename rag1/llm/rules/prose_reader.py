"""Family prose read sentence by sentence: who is talked about, whose kin is named, what is told of whom."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rag1.llm.rules.kin_marks import GRAVES, REMAINS
from rag1.llm.rules.prose_clauses import Arg, Clause, Phrase, Unit, clauses_of
from rag1.llm.rules.prose_names import People
from rag1.llm.rules.prose_people import NOBODY, Circle
from rag1.llm.rules.prose_roles import ROLE_OF
from rag1.llm.rules.prose_tokens import Tok, tokens
from rag1.llm.rules.words import words, wordset

SELF = wordset("こちら こなた 彼 彼女 自分 自身 同人 当人 本人 この人 その人 あの人")
FIRST = wordset("うちら わたしら わしら 私 わたし 僕 わたくし おれ 俺 うち わし あたし 我 自分")
_FAMILIAR = wordset(
    "父 母 祖父 祖母 叔父 叔母 伯父 伯母 曾祖父 曾祖母 兄 姉 おじいさん おばあさん じいさん ばあさん "
    "お父さん お母さん 大叔父 大叔母 姑 舅 主人 夫"
)
THIS = wordset("これ この子 その子 この人 その人 これら")
BOTH = wordset("二人 ふたり 両人 夫婦 夫妻 両名 2人")
_BORN_OF = wordset("所生 腹 所出")
_BETWEEN = wordset("間 あいだ 仲")
_NAMES = wordset(
    "いう 言う 号する 称する 名のる 名乗る 呼ぶ 申す 名づける 名付ける つける 付ける 改める 伝わる 云う "
    "称える もてはやす 唱える 命名する 改名する 通称する 親しむ 慕う"
)
_OF_ONESELF = wordset("号する 称する 名のる 名乗る 改名する")
_OWN_NAME = wordset("名 名前 俗名 本名 実名")
_PEN_NAMES = wordset(
    "号 俳号 雅号 筆名 諱 字 通称 屋号 院号 芸名 画号 茶号 法号 戒名 幼名 源氏名 四股名 異名 あだ名 法名 法諱"
)
BURIES = wordset(
    "葬る 埋葬する 眠る 納める 埋める 分骨する 葬送する 納骨する 祀る 祭る 埋まる 弔う 合葬する 改葬する "
    "永眠する 葬儀する 安置する"
)
_MOVED = wordset("異なる 違う 運ぶ 送る 帰る 届く 移す 守る 参る 詣でる 立てる 捧げる 供える")
_LIES = wordset("ある 在る 建つ 立つ 定める 営む 設ける 置く 築く 移す いる 眠る 伝わる 残る する 建てる")
_MARRIES_INTO = wordset(
    "嫁ぐ 嫁す 嫁する 縁づく 縁付く 輿入れする 嫁入りする 片付く かたづく 入輿する 再嫁する 嫁入る 降嫁する"
)
_TAKES = wordset("娶る めとる 迎える 貰う もらう むかえる")
_WEDS = wordset(
    "結婚する 結ぶ 連れ添う 婚姻する 祝言する 結婚する 縁組する 所帯する 一緒する 婚礼する 添う 結婚 夫婦する"
)
_BEARS = wordset(
    "産む 生む もうける 儲ける 授かる なす 成す 得る 生す 出産する 設ける 残す 遺す 育てる 恵む 恵まれる 挙げる"
)
_EXIST = wordset(
    "ござる 御座る ございる ある いる おる 有る 居る 生まれる できる 授かる 恵む 恵まれる 得る もうける "
    "儲ける なす 成す 数える"
)
_KEEPS = wordset("後 のち 次 先")
_HONORARY = re.compile("(?:さん|さま|様|どの|殿|氏|翁|公|先生|ちゃん)$")
_PLACE = re.compile("(?:寺|院|庵|社|宮|墓地|霊園|墓所|堂|山|坊|廟|塚|境内|丘|原|島|地蔵|教会)$")
_ATTRIBUTES = wordset(
    "生まれ 生国 出身 出生地 生地 号 俳号 雅号 筆名 著書 著作 代表作 作 遺作 役 役職 官位 官職 禄 石高 家業 "
    "生業 職業 商売 屋号 門弟 弟子 師 住まい 屋敷 居所 墓 諱 字 俗名 戒名 法名 趣味 特技 家 店 里 実家 郷里 "
    "故郷 享年 年 技 作品 主著 歌集 句集 遺稿 菩提寺 位牌"
)
_NUM = "[一二三四五六七八九十0-9０-９]+"
_COUNTS = (
    (re.compile(rf"({_NUM})男"), "m"),
    (re.compile(rf"({_NUM})女"), "f"),
    (re.compile(rf"({_NUM})(?:人|名)の(?:息子|男の子|男子|男児)"), "m"),
    (re.compile(rf"({_NUM})(?:人|名)の(?:娘|女の子|女子|女児)"), "f"),
    (re.compile(rf"(?:息子|男)(?:が|は)?({_NUM})人"), "m"),
    (re.compile(rf"(?:娘|女)(?:が|は)?({_NUM})人"), "f"),
)
_PAIRS = {"兄妹": "mf", "姉弟": "fm", "兄弟": "mm", "姉妹": "ff"}
_TOTAL = re.compile(rf"({_NUM})(?:人|子)|子(?:ども|供)?[はがに]?.{{0,3}}?({_NUM})人|(?:兄弟|姉妹|きょうだい)({_NUM})人")
_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九十")}
_COUNTED = re.compile(rf"^(?:{_NUM}|数)(?:人|名)$")
_PLACES_AMONG = wordset("末 下 上 一番上 一番下 いちばん上 いちばん下 次 二番目 三番目 残る もう一人")
_TEACHING = wordset("師 師匠 恩師 弟子 門人 門弟 愛弟子 高弟 内弟子 主君 家臣 親方 主人 後見人")
_REMAINS = GRAVES | REMAINS | wordset("身 亡きがら 亡き骸 遺灰 骨壺 位牌所 墓碑 塚 永眠の地")
_SONS = wordset("子 子ども 子供 息子 娘 子女 兄弟 姉妹 きょうだい 実子")
_ANNOUNCED = re.compile(
    rf"{_NUM}(?:人|名)の(?:子|男子|女子|男の子|女の子|息子|娘|きょうだい)|{_NUM}男{_NUM}女|子(?:ども|供)?{_NUM}人"
)
_CASES = wordset("を に へ と から で より まで として によって には とは")
_TITLE_ENDS = re.compile("(?:代|代目|藩主|当主|主|家督|祖|初代|元祖|開祖|創業者)$")
_TRADE = re.compile(
    "(?:屋|師|工|家|主|人|者|長|商|士|僧|守|奉行|大工|方|問屋|農|匠|工|番頭|職|頭|医|侍|浪人|旗本|家老|藩士|名主|庄屋|神職|住職|儒者|僧侶|漁師|百姓|職人)$"
)
LONGEST = 40


@dataclass(frozen=True, slots=True)
class Told:
    """A statement about a person; `clause`: the words it was read from."""

    person: int
    relation: str
    value: str
    at: int
    clause: str = ""
    case: str = ""


@dataclass(slots=True)
class Slots:
    """Children who were announced and are not all named yet. `sexes`: in order where that is told (兄と妹)."""

    parents: tuple[int, ...]
    men: int = 0
    women: int = 0
    any: int = 0
    at: int = 0

    @property
    def open(self) -> bool:
        return self.men + self.women + self.any > 0

    def take(self, sex: str) -> bool:
        if sex == "m" and self.men:
            self.men -= 1
        elif sex == "f" and self.women:
            self.women -= 1
        elif self.any:
            self.any -= 1
        else:
            return False
        return True


@dataclass(frozen=True, slots=True)
class Ref:
    """What a phrase stands for. `owner`: whose thing or kin it is; `unnamed`: a role without a name."""

    person: int = NOBODY
    owner: int = NOBODY
    thing: str = ""
    role: str = ""
    couple: tuple[int, int] | None = None
    unnamed: bool = False


@dataclass
class Story:
    """What was read so far. `main`: whom the section is about; `topic`: whom the last sentence was about."""

    people: People
    circle: Circle = field(default_factory=Circle)
    told: list[Told] = field(default_factory=list)
    at: int = 0
    main: int = NOBODY
    topic: int = NOBODY
    latest: int = NOBODY
    latest_at: int = -1
    possessor: tuple[int, int, str] = (-1, NOBODY, "")
    making: bool = True
    companion: tuple[int, int] = (-1, NOBODY)
    fresh: int = NOBODY
    fresh_at: int = -9
    brood: tuple[int, ...] = ()
    trades: dict[tuple[int, int], int] = field(default_factory=dict)
    heading: bool = False
    couple: tuple[int, int] | None = None
    slots: list[Slots] = field(default_factory=list)
    grave: str = ""
    thing: tuple[int, str] | None = None
    sentence: str = ""
    narrator: int = NOBODY
    speaker: int = NOBODY
    speaking: bool = False
    refs: dict[int, tuple[Phrase, Ref]] = field(default_factory=dict)

    # reading

    def read(self, sentence: str) -> None:
        self.sentence = sentence
        self.refs.clear()
        if self._heading(sentence):
            self.at += 1
            return
        if len(sentence) <= 25 and not re.search("[。、」？！]", sentence):
            self.at += 1  # a heading, a signature
            return
        if self.narrator != NOBODY and re.match("[「『](?:[^」』]*[。？！?!]|[^」』]{13,})", sentence):
            self._speech(sentence)
        else:
            self._clauses(clauses_of(tokens(sentence, self.people)))
            if self.topic not in (NOBODY, self.narrator):
                self.speaker = self.topic
        for match in re.finditer("[（(]([^（）()]{4,80})[）)]", sentence):
            self._aside(sentence, match)
        self.at += 1

    def _speech(self, sentence: str) -> None:
        """A line of dialogue: わたし is who spoke; the story goes on about whom it was about before."""
        kept = self.topic, self.main
        said = re.match("[「『](.*?)[」』](.*)", sentence)
        body, after = (said[1], said[2]) if said else (sentence[1:], "")
        told = [tok for tok in tokens(after, self.people) if tok.kind in {"person", "role"}]
        if told and re.search("言|笑|話|答|つぶや|呟|声", after):
            who = told[0]
            person = (
                self.circle.named(who.text)
                if who.kind == "person"
                else self.circle.kin(self.narrator, who.text, self.at)
            )
            self.speaker = person
        self.speaking = True
        answered = [tok for tok in tokens(body[:12], self.people) if tok.kind == "person"]
        if (
            self.fresh != NOBODY
            and not self.circle.name(self.fresh)
            and answered
            and re.match(rf"{answered[0].text}(?:さん)?(?:ね|だよ|です|か|だ)?。", body)
        ):
            self._name_it(self.fresh, self.circle.named(answered[0].text))
        for part in re.split("(?<=[。？?！!])", body):
            if part.strip():
                self.sentence = part
                self.refs.clear()
                self._clauses(clauses_of(tokens(part, self.people)))
        self.speaking, self.sentence = False, sentence
        self.topic, self.main = kept

    def _aside(self, sentence: str, match: re.Match[str]) -> None:
        """What a person's brackets tell: （墓は寺町の妙泉寺）."""
        before = [tok for tok in tokens(sentence[: match.start()], self.people) if tok.kind == "person"]
        if not before or not re.search("墓|葬|妻|夫|父|母|娘|男|生まれ|号|没", match[1]):
            return
        kept = self.topic, self.main, self.sentence
        self.topic = self.main = self.circle.named(before[-1].text)
        self.sentence = match[1]
        self._clauses(clauses_of(tokens(match[1], self.people)))
        self.topic, self.main, self.sentence = kept

    def _heading(self, sentence: str) -> bool:
        match = re.match("[【■●◆○◎〔]([^】〕（ 　]+)", sentence)
        name = match[1] if match else ""
        if not name and self.at > 2 and len(sentence) <= 12 and not re.search("[。、はがを]", sentence):
            bare = re.sub(r"^[一二三四五六七八九十0-9０-９]+[　 .．、]*", "", sentence).strip()
            name = re.sub("(?:のこと|の代|について)$", "", bare)
        if name in self.people.canonical:
            self.main = self.topic = self.latest = self.circle.named(self.people.canonical[name])
            self.heading = match is not None
            return True
        return bool(match)

    def _clauses(self, parsed: Sequence[Clause]) -> None:
        pending: Clause | None = None
        for clause in parsed:
            if clause.form == "attr" and clause.modifies is not None:
                continue  # read with the noun that it describes
            if clause.form == "nominal":
                pending = clause
                continue
            if pending is not None:
                self._cleft(pending, clause)
                pending = None
                continue
            self._clause(clause, NOBODY)

    def _cleft(self, first: Clause, clause: Clause) -> None:
        """「家業を継いだのは長男の善太郎である」: the value is the subject of what stands before."""
        if clause.predicate != "である" or clause.noun is None:
            self._clause(first, NOBODY)
            self._clause(clause, NOBODY)
            return
        born = first.predicate in {"生まれる", "できる"} | _BEARS
        if first.predicate in BURIES and not clause.noun.has_kin:
            who = first.get("が")
            self._bury(
                self.resolve(who.phrase).person if who is not None and who.phrase.has_kin else self.zero(),
                clause.noun,
                first,
            )
            return
        ref = self.resolve(clause.noun, child_of=self._between(first) if born else None)
        if ref.person == NOBODY:
            self._clause(first, NOBODY)
            subject = first.get("が")
            self._about(self.resolve(subject.phrase).person if subject is not None else NOBODY)
            return
        subject = first.get("が")
        role = next(
            (a for a in first.args if a.phrase.last.kind == "role" and a.particle in {"に", "として", "には"}), None
        )
        if first.predicate in _TAKES and role is not None and ROLE_OF[role.phrase.last.text].link == "spouse":
            self.circle.link(self.zero(), role.phrase.last.text, ref.person, self.at)
            self.fresh = ref.person
            return
        if first.predicate == "来る" and any("嫁" in a.phrase.last.text for a in first.args):
            self.circle.link(self.topic, "妻", ref.person, self.at)
        if not (subject and self.resolve(subject.phrase).person != NOBODY):
            if not born:
                self._verbs(first, ref.person)
            if self.circle.name(ref.person):
                self._about(ref.person)
            else:
                self.fresh = ref.person
                self.latest = ref.person
        elif subject:
            self._verbs(first, self.resolve(subject.phrase).person)

    # whom a clause is about

    def _about(self, person: int, main: bool = True) -> None:
        if person == NOBODY:
            return
        self.topic = person
        if main and not self.heading:
            self.main = person

    def zero(self) -> int:
        """Whom a clause without a subject is about."""
        return self.main if self.heading and self.main != NOBODY else self.topic

    def _clause(self, clause: Clause, about: int) -> None:
        subject, thing = about, None
        for arg in clause.args:
            named = arg.phrase.units[0].kind == "role" and arg.phrase.last.kind == "person"
            if arg.particle in {"しか", "しかは"}:
                for other in (a for a in clause.args if a.particle == "には"):
                    self._about(self.resolve(other.phrase).person)
                self.resolve(arg.phrase)
            if arg.particle in {"", "と", "や"} and named and clause.predicate == "である":
                self.resolve(arg.phrase)
            whose = {"person", "role"} if clause.predicate in _EXIST else {"person"}
            if arg.particle == "には" and not arg.time and arg.phrase.last.kind in whose:
                ref = self.resolve(arg.phrase)
                self.couple = (ref.couple[0], ref.couple[1]) if ref.couple else self.couple
                self._about(ref.couple[0] if ref.couple else ref.person)
        if self._list_of_children(clause):
            return
        if clause.negated and clause.predicate in {"いる", "ある"} and re.search("[?？]$", self.sentence):
            for arg in clause.args:
                if arg.particle == "が" and arg.phrase.last.kind == "role":
                    owner = next(
                        (self.resolve(a.phrase).person for a in clause.args if a.particle in {"には", "に", "は"}),
                        NOBODY,
                    )
                    self.fresh = (
                        self.circle.kin(owner, arg.phrase.last.text, self.at) if owner != NOBODY else self.fresh
                    )
            return
        if (
            clause.predicate in {"ない", "無い"}
            and not any(a.particle in {"しか", "しかは"} for a in clause.args)
            and not any(a.phrase.last.kind == "person" for a in clause.args)
        ):
            return
        listed = clause.predicate == "である" and any(
            a.particle == "が" and a.phrase.last.text in _SONS and len(a.phrase.units) > 1 for a in clause.args
        )
        several = listed and clause.noun is not None and sum(u.kind == "person" for u in clause.noun.units) > 1
        if ((clause.topic is not None and clause.topic.phrase.last.text in _SONS) or several) and self._brood(clause):
            return
        if clause.predicate == "である" and clause.noun is not None and clause.noun.last.text in _BORN_OF:
            self._born_of(clause)
            return
        for arg in clause.args:
            if arg.time:
                continue
            if arg.particle in {"は", "も", "とは"} and arg is clause.topic:
                ref = self.resolve(arg.phrase)
                if ref.person != NOBODY:
                    subject = ref.person
                    self._focus(arg.phrase, ref)
                elif ref.thing or arg.phrase.last.kind != "role":
                    thing = ref
                    if ref.owner != NOBODY and ref.thing not in _REMAINS:
                        self._about(ref.owner, main=False)
            elif arg.particle in {"が", "の"} and subject == NOBODY:
                if clause.predicate in _EXIST | _BEARS | {"ない", "無い"} and _has_child_role(arg.phrase):
                    continue
                ref = self.resolve(arg.phrase)
                subject = ref.person if ref.person != NOBODY else subject
                if ref.person != NOBODY and clause.form == "end" and clause.topic is None:
                    self._about(ref.person, main=False)
                if ref.person == NOBODY and ref.thing in _REMAINS:
                    thing = ref
                if ref.person == NOBODY and thing is None and clause.predicate == "である":
                    thing = ref
            elif arg.particle.startswith("が") and clause.predicate == "である" and arg.phrase.last.kind == "role":
                subject = self.resolve(arg.phrase).person
        if clause.predicate == "である":
            self._copula(clause, subject, thing)
        elif thing is not None and thing.owner != NOBODY and clause.predicate in _MARRIES_INTO | _WEDS | _TAKES:
            self._verbs(clause, thing.owner)
        elif clause.predicate == "" or (thing is not None and subject == NOBODY and self._of_thing(clause, thing)):
            return
        else:
            self._verbs(clause, subject if subject != NOBODY else self.zero())

    def _focus(self, phrase: Phrase, ref: Ref) -> None:
        if ref.owner != NOBODY and phrase.last.kind == "role":
            self.possessor = (self.at, ref.owner, ROLE_OF[phrase.last.text].link)
        self._focused(phrase, ref)

    def _focused(self, phrase: Phrase, ref: Ref) -> None:
        """A bare name is whom the section goes on about; somebody's wife is talked about for a while."""
        plain = phrase.units[0].kind == "person" or phrase.units[0].kind == "noun"
        slot = ref.role in ROLE_OF and ROLE_OF[ref.role].link in {"child", "elder", "younger"}
        self._about(ref.person, main=plain or slot)

    # phrases

    def resolve(self, phrase: Phrase, child_of: tuple[int, ...] | None = None) -> Ref:
        """The person or thing of a phrase; what it says of kin on the way is kept. A phrase is read once."""
        known = self.refs.get(id(phrase))
        if known is not None:
            return replace(known[1], person=self.circle.find(known[1].person), owner=self.circle.find(known[1].owner))
        ref = self._resolved(phrase, child_of)
        self.refs[id(phrase)] = (phrase, ref)
        return ref

    def _resolved(self, phrase: Phrase, child_of: tuple[int, ...] | None) -> Ref:
        current, owner, role, couple, named = NOBODY, NOBODY, "", None, ""
        units, first = phrase.units, True
        at = 0
        called = phrase.called
        if called is not None and called.kind == "person":
            person = self.circle.named(called.text)
            if units[-1].kind == "role":
                self._called_kin(units, person, phrase.demonstrative)
            return Ref(person)
        while at < len(units):
            unit = units[at]
            if unit.kind == "person":
                person = self.circle.named(unit.text)
                beside = unit.link == "と" or (unit.link == "・" and units[at - 1].kind == "person")
                if beside and current != NOBODY:
                    couple = (current, person)
                elif at and units[at - 1].text in _PLACES_AMONG and self.slots and self.slots[-1].open:
                    if not self.circle.parents(person):
                        self.slots[-1].take(self.circle.sex(person) or ("f" if self.slots[-1].women else "m"))
                        self._children_of(self.slots[-1].parents, person, "子")
                elif at and units[at - 1].kind == "noun":
                    self._titled(person, units[:at])
                if child_of and not role:
                    self._children_of(child_of, person, "子")
                current, role = person, ""
            elif unit.kind == "role":
                owner, current, couple, step = self._role(units, at, current, couple, phrase.demonstrative, child_of)
                role = unit.text
                at += step
            else:
                owner, current, named = (
                    (current if current != NOBODY else owner if unit.link else NOBODY),
                    NOBODY,
                    unit.text,
                )
                if unit.text in {"ほう", "方", "自身", "こと", "ら", "たち"} and owner != NOBODY:
                    current = owner
                elif unit.text in SELF:
                    current = self.topic
                elif unit.text in THIS:
                    current = self.fresh if self.fresh != NOBODY else NOBODY
                elif unit.text in FIRST and self.narrator != NOBODY:
                    current = self.speaker if self.speaking else self.narrator
            if first and phrase.rel is not None and current != NOBODY:
                rel, phrase.rel = phrase.rel, None
                self._relative(rel, current)
            first = first and current == NOBODY
            at += 1
        if current != NOBODY:
            self.latest, self.latest_at = current, self.at
        elif phrase.rel is not None:
            self._made_by(phrase.rel, phrase)
        return Ref(
            current,
            owner,
            named if current == NOBODY else "",
            role,
            couple,
            current != NOBODY and not self.circle.name(current),
        )

    def _called_kin(self, units: Sequence[Unit], person: int, demonstrative: str) -> None:
        """「おつやという一人娘」「お志乃という娘」."""
        word = units[-1].text
        owner = self.resolve(Phrase(list(units[:-1]))).person if len(units) > 1 else NOBODY
        if owner == NOBODY and self._slot(word, person) is not None:
            return
        owner = owner if owner != NOBODY else self._owner(word, demonstrative, person)
        if self._is_news(owner, word, person):
            self.circle.link(owner, word, person, self.at)

    def _titled(self, person: int, units: Sequence[Unit]) -> None:
        """「常陸笹間藩主・永瀬正勝」 is the 藩主."""
        texts = []
        for unit in reversed(units):
            if unit.kind != "noun" or (Tok("noun", unit.text, 0, 0).is_time and not _TITLE_ENDS.search(unit.text)):
                break
            texts.append(unit)
        if texts and texts[0].text not in _KEEPS and len(texts[0].text) > 1:
            title = (
                self.sentence[texts[-1].start : texts[0].end] if texts[-1].end <= len(self.sentence) else texts[0].text
            )
            self._tell(person, "である", title, title, "")
            self.circle.titles.setdefault(texts[0].text, person)

    def _role(
        self, units: Sequence[Unit], at: int, current: int, couple: tuple[int, int] | None, demonstrative: str,
        child_of: tuple[int, ...] | None,
    ) -> tuple[int, int, tuple[int, int] | None, int]:  # fmt: skip
        """A role: of the name before it, else of whom the prose is about. Gives owner, person, couple, units read."""
        unit = units[at]
        word = "夫" if unit.text == "主人" and self.narrator != NOBODY else unit.text
        follows = units[at + 1] if at + 1 < len(units) else None
        named = follows is not None and follows.kind == "person" and follows.link in {"の", "・", "、", "=", "である"}
        person = self.circle.named(follows.text) if named and follows is not None else NOBODY
        explicit = current != NOBODY and bool(unit.link)
        before = units[at - 1] if at and not explicit else None
        both = before is not None and before.text in BOTH and named and self.couple is not None
        if before is not None and _COUNTED.search(before.text) and not both:
            return NOBODY, NOBODY, None, 0
        if before is not None and before.text in _PLACES_AMONG:
            before = None
        if before is not None and before.text in BOTH and self.couple and ROLE_OF[word].link == "child" and not couple:
            couple = self.couple
        if before is not None and before.kind == "noun" and before.text not in SELF | BOTH and unit.link == "の":
            current = (
                self._tradesman(before, units[:at]) if ROLE_OF[word].link in {"child", "elder", "younger"} else NOBODY
            )
            explicit = True
            if current == NOBODY:
                if named:
                    return NOBODY, person, None, 1
                fresh = self.circle._new("", ROLE_OF[word].sex)
                self.fresh, self.fresh_at = fresh, self.at
                return NOBODY, fresh, None, 0
        if ROLE_OF[word].link == "child" and (couple is not None or child_of):
            parents = couple or child_of or ()
            if person == NOBODY:
                person = self._unnamed_child(parents, word)
            self._children_of(parents, person, word)
            return parents[0], person, couple if not named else None, 1 if named else 0
        if word in _TEACHING and not explicit and not named and follows is None:
            return self.zero(), NOBODY, None, 0
        owner = current if explicit else self._owner(word, demonstrative, person)
        if unit.link == "と" and not named:
            other = self.circle.kin(self._owner(word, "", NOBODY), word, self.at)
            return owner, other, (current, other), 0
        teller = self.speaker if self.speaking else self.narrator
        mine = word in _FAMILIAR and teller != NOBODY and self.circle.kin(teller, word, self.at, create=False) != NOBODY
        if not explicit and not demonstrative and not mine and (filled := self._slot(word, person)) is not None:
            return NOBODY, filled, None, 1 if named else 0
        if named:
            if explicit or self._is_news(owner, word, person):
                self.circle.link(owner, word, person, self.at)
                self._note_couple(owner, word, person)
            return owner, person, None, 1
        last = self.making and (follows is None or follows.kind == "role")
        holder = self.circle.kin(owner, word, self.at, create=last and not (_TEACHING & {word} and not explicit))
        if holder != NOBODY and not self.circle.name(holder):
            self.fresh, self.fresh_at = holder, self.at
            self._note_couple(owner, word, holder)
        return owner, holder, None, 0

    def _note_couple(self, owner: int, word: str, person: int) -> None:
        if ROLE_OF[word].link == "spouse" and NOBODY not in (owner, person):
            self.couple = (person, owner) if ROLE_OF[word].sex == "m" else (owner, person)

    def _unnamed_child(self, parents: Sequence[int], word: str) -> int:
        for parent in parents:
            found = self.circle.kin(parent, word, self.at, create=False)
            if found != NOBODY:
                return found
        return self.circle._new("", ROLE_OF[word].sex, f"{self.circle.label(parents[0])}の{ROLE_OF[word].relation}")

    def _tradesman(self, unit: Unit, units: Sequence[Unit]) -> int:
        """「薬種商の娘」: her father, of whom no more is told than what he was."""
        if not _TRADE.search(unit.text):
            return NOBODY
        known = self.trades.get((self.at, unit.start))
        if known is not None:
            return self.circle.find(known)
        fresh = self.trades[self.at, unit.start] = self.circle._new("", "m")
        text = self.sentence[units[0].start : unit.end]
        self._tell(fresh, "である", text, text, "")
        return fresh

    def _owner(self, word: str, demonstrative: str, person: int) -> int:
        """Whose kin a role without an owner is: of the sex that can have it, the topic first."""
        need = {"f": "m", "m": "f"}.get(ROLE_OF[word].sex, "") if ROLE_OF[word].link == "spouse" else ""
        if demonstrative in {"その", "この", "此の"} and self.latest != NOBODY and self.latest_at == self.at:
            return self.latest
        if self.narrator != NOBODY and word in _FAMILIAR:
            teller = self.speaker if self.speaking else self.narrator
            known = self.circle.kin(teller, word, self.at, create=False) if teller != NOBODY else NOBODY
            if teller != NOBODY and (
                NOBODY in (known, person) or known == self.circle.find(person) or not self.circle.name(known)
            ):
                return teller
        at, possessor, link = self.possessor
        if demonstrative in {"その", "この"} and self.topic != NOBODY and self.topic != self.circle.find(person):
            return self.topic
        if (
            at == self.at
            and possessor != self.circle.find(person)
            and (link == ROLE_OF[word].link == "parent" or word in _TEACHING)
        ):
            return possessor
        order = (self.topic, self.main) if ROLE_OF[word].link in {"parent", "raw", "inlaw"} else (self.main, self.topic)
        for candidate in order if not self.heading else (self.main, self.topic):
            if (
                candidate != NOBODY
                and candidate != self.circle.find(person)
                and (not need or self.circle.sex(candidate) in {need, ""})
            ):
                return candidate
        if need:
            return next((p for p in self.circle.spouses(self.topic) if self.circle.sex(p) in {need, ""}), NOBODY)
        return NOBODY

    def _is_news(self, owner: int, word: str, person: int) -> bool:
        """「弟の忠綱」 of one whose parents are told says nothing new, and of whom is unsure."""
        link = ROLE_OF[word].link
        if owner == NOBODY:
            return False
        if link in {"child", "elder", "younger"}:
            return not self.circle.parents(person)
        if link == "spouse":
            return not self.circle.spouses(person)
        if link == "parent":
            return not self.circle.children(person)
        return True

    # children

    def _slot(self, word: str, person: int) -> int | None:
        """A child or sibling who was announced."""
        role = ROLE_OF[word]
        if role.link not in {"child", "elder", "younger"} or not self.slots:
            return None
        if person != NOBODY and self.circle.parents(person):
            return None
        for slots in reversed(self.slots):
            if slots.open and (known := self._taken(slots, word, person)) is not None:
                return known
        return None

    def _taken(self, slots: Slots, word: str, person: int) -> int | None:
        role = ROLE_OF[word]
        if person == NOBODY:
            for parent in slots.parents:
                known = self.circle.kin(parent, word, self.at, create=False) if role.link == "child" else NOBODY
                if known != NOBODY:
                    return known
        if not slots.take(role.sex):
            return None
        if person == NOBODY:
            person = self.circle._new("", role.sex, f"{self.circle.label(slots.parents[0])}の{role.relation}")
        own = word if role.link == "child" else {"m": "息子", "f": "娘"}.get(role.sex, "子")
        self._children_of(slots.parents, person, own)
        if role.sex:
            self.circle.is_sex(person, role.sex)
        return person

    def _children_of(self, parents: Sequence[int], person: int, word: str) -> None:
        for parent in parents:
            self.circle.link(parent, word, person, self.at)
        self.brood = tuple(parents)
        self.fresh = person

    def _between(self, clause: Clause) -> tuple[int, ...] | None:
        """The parents of 「…の間に」, 「XとYには」, 「新左衛門に」."""
        for at, arg in enumerate(clause.args):
            last = arg.phrase.last
            if last.text in _BETWEEN and len(arg.phrase.units) > 1:
                inner = Phrase(arg.phrase.units[:-1])
                if inner.units[-1].text in BOTH:
                    return self.couple
                ref = self.resolve(inner)
                if ref.couple:
                    return self._pair(*ref.couple)
                if ref.person != NOBODY:
                    return self._pair(self.zero(), ref.person)
            if last.text in _BETWEEN and at and clause.args[at - 1].particle == "との":
                ref = self.resolve(clause.args[at - 1].phrase)
                subject = next(
                    (self.resolve(a.phrase).person for a in clause.args[:at] if a.particle in {"は", "が"}), NOBODY
                )
                other = subject if subject not in (NOBODY, ref.person) else self._other(ref.person)
                return self._pair(other, ref.person)
        for arg in clause.args:
            if arg.particle in {"には", "に", "は"} and arg.phrase.last.text in BOTH and self.couple:
                return self.couple
            if arg.particle in {"には", "に", "は"} and not arg.time and arg.phrase.last.kind in {"person", "role"}:
                ref = self.resolve(arg.phrase)
                if ref.couple:
                    return self._pair(*ref.couple)
                if ref.person != NOBODY:
                    return self._parents_of(ref.person)
        return None

    def _other(self, person: int) -> int:
        """The other half of 「於万との間に」: whom the prose is about, or a spouse that is told."""
        zero = self.zero()
        if zero not in (NOBODY, self.circle.find(person)):
            return zero
        return next(iter(self.circle.spouses(person)), NOBODY)

    def _parents_of(self, person: int) -> tuple[int, ...]:
        if self.couple and person in self.couple:
            return self.couple
        spouses = self.circle.spouses(person)
        return (person, spouses[0]) if len(spouses) == 1 else (person,)

    def _pair(self, first: int, second: int) -> tuple[int, ...]:
        if NOBODY in (first, second) or first == second:
            return tuple(p for p in (first, second) if p != NOBODY)[:1]
        if second not in self.circle.spouses(first):
            if self.circle.sex(first) == "f" or self.circle.sex(second) == "m":
                first, second = second, first
            self.circle.link(first, "妻", second, self.at)
        self.couple = (first, second)
        return first, second

    def announce(self, parents: Sequence[int], text: str) -> None:
        """Opens places for children whose number is told; closes those of an earlier announcement of the same ones."""
        parents = tuple(dict.fromkeys(p for p in parents if p != NOBODY))
        if not parents:
            return
        men = sum(_number(m[1]) for pattern, sex in _COUNTS if sex == "m" for m in pattern.finditer(text))
        women = sum(_number(m[1]) for pattern, sex in _COUNTS if sex == "f" for m in pattern.finditer(text))
        for pair, sexes in _PAIRS.items():
            if pair in text and not men + women:
                men, women = sexes.count("m"), sexes.count("f")
        if re.search("兄と妹|姉と弟|男と女|兄妹ふたり", text) and not men + women:
            men = women = 1
        total = next((_number(next(g for g in m.groups() if g)) for m in _TOTAL.finditer(text)), 0)
        slots = Slots(parents, men, women, max(0, total - men - women) if not men + women else 0)
        if not slots.open and re.search("子(?:が|を|ども|供|宝)|子に", text):
            slots.any = 6
        if self.slots and set(self.slots[-1].parents) & set(parents):
            last = self.slots.pop()
            if not slots.open:
                slots = last
        slots.at = self.at
        self.slots.append(slots)

    def _listed(self, clause: Clause, parents: tuple[int, ...]) -> list[int]:
        """Children who are named in the clause itself, in order: 「長男・忠明、次男・忠直の二男」."""
        born: list[int] = []
        sexes = self._sexes(self.sentence[clause.start : clause.end])
        for arg in clause.args:
            if arg.particle not in {"", "が", "を", "と", "も"} or arg.time or arg is clause.topic:
                continue
            if arg.phrase.last.text in _BETWEEN:
                continue
            word = ""
            rel = arg.phrase.rel
            called = (
                [u for a in rel.args for u in a.phrase.units] if rel is not None and rel.predicate == "いう" else []
            )
            for unit in [*called, *arg.phrase.units]:
                if unit.kind == "role" and ROLE_OF[unit.text].link in {"child", "elder", "younger"}:
                    word = unit.text
                elif unit.kind == "noun" and (one := re.fullmatch("[一1](?:人の)?(男|女|子|児)", unit.text)):
                    word = {"男": "息子", "女": "娘"}.get(one[1], "子")
                elif unit.kind == "person":
                    person = self.circle.named(unit.text)
                    if person in parents or (unit.link == "の" and not word):
                        continue
                    if word and ROLE_OF[word].link != "child":
                        word = {"m": "息子", "f": "娘"}.get(ROLE_OF[word].sex, "子")
                    sex = sexes[len(born)] if len(born) < len(sexes) else ""
                    self._children_of(parents, person, word or {"m": "息子", "f": "娘"}.get(sex, "子"))
                    born.append(person)
                    word = ""
        return born

    def _sexes(self, text: str) -> str:
        for pair, sexes in _PAIRS.items():
            if pair in text:
                return sexes
        if match := re.search(rf"({_NUM})男({_NUM})女", text):
            return "m" * _number(match[1]) + "f" * _number(match[2])
        return ""

    # clauses

    def _copula(self, clause: Clause, subject: int, thing: Ref | None) -> None:
        noun = clause.noun
        if noun is None:
            return
        text = noun.text(self.sentence)
        if clause.negated:
            return
        if thing is not None and subject == NOBODY:
            self._thing_is(clause, thing, noun, text)
            return
        if subject == NOBODY and clause.topic is None and noun.last.kind == "person" and len(noun.units) == 1:
            self._about(self.resolve(noun).person)
            return
        if self._announces(clause, subject, text):
            return
        self._is(clause, subject if subject != NOBODY else self.zero(), noun, text)

    def _two_told(self, text: str) -> bool:
        """「姉と弟です。」 of two children who were just named."""
        sexes = {"兄と妹": "mf", "姉と弟": "fm", "兄妹": "mf", "姉弟": "fm", "兄と弟": "mm", "姉と妹": "ff"}.get(
            text, ""
        )
        known = self.circle.children(self.brood[0]) if self.brood else []
        if len(known) != 2 or not sexes:
            return False
        for child, sex in zip(known, sexes, strict=True):
            self.circle.persons[self.circle.find(child)].sex = "m" if sex == "m" else "f"
        return True

    def _announces(self, clause: Clause, subject: int, text: str) -> bool:
        """「重蔵と志乃の子は二人。兄と妹である。」「男二人、女一人。」"""
        del subject
        if not clause.topic and self._two_told(text):
            return True
        last = self.slots[-1] if self.slots else None
        if (
            re.fullmatch(
                rf"(?:兄と妹|姉と弟|兄妹|姉弟|兄弟|姉妹|男{_NUM}人|女{_NUM}人|息子{_NUM}人|娘{_NUM}人|{_NUM}男{_NUM}女)",
                text,
            )
            and last
            and not clause.topic
        ):
            whole = self.sentence
            known = self.circle.children(last.parents[0])
            sexes = {"兄と妹": "mf", "姉と弟": "fm", "兄妹": "mf", "姉弟": "fm", "兄弟": "mm", "姉妹": "ff"}.get(
                text, ""
            )
            if len(known) == 2 and len(sexes) == 2:
                for child, sex in zip(known, sexes, strict=True):
                    self.circle.persons[self.circle.find(child)].sex = "m" if sex == "m" else "f"
                return True
            if last.any:
                last.any = 0
                self.announce(last.parents, whole)
            return True
        return False

    def _thing_is(self, clause: Clause, thing: Ref, noun: Phrase, text: str) -> None:
        """A topic that is no person: 「墓所は…寺」「生まれは…」「これが後の忠英」「三代目は…の長男、善一郎」."""
        name = thing.thing
        if name in THIS and noun.last.kind not in {"person", "role"}:
            self._about(self.resolve(noun).owner, main=False)
            return
        owner = thing.owner if thing.owner != NOBODY else self.zero()
        if re.search("^(?:子|子ども|子供|息子|娘|子宝)$", name) or (
            clause.topic and clause.topic.phrase.last.text in {"子", "子ども"}
        ):
            self.announce(self._parents_of(owner), text)
            return
        if name in _REMAINS:
            self._bury(owner, noun, clause)
            return
        ref = self.resolve(noun)
        rel = clause.topic.phrase.rel if clause.topic is not None else None
        if (
            rel is not None
            and rel.predicate in _MARRIES_INTO | _WEDS
            and name in {"先", "相手", "人", "家", "男"}
            and ref.person != NOBODY
        ):
            who = rel.get("が", "の")
            self._wed(
                self.resolve(who.phrase).person if who is not None else self.zero(),
                ref.person,
                "夫" if rel.predicate in _MARRIES_INTO else "配偶者",
            )
            return
        if ref.person != NOBODY and (
            _TITLE_ENDS.search(name)
            or name in {"名", "名前"}
            or (clause.args and clause.args[0].phrase.rel is None and noun.last.kind == "person")
        ):
            if name in _OWN_NAME:
                self.circle.merge(self.fresh if self.fresh != NOBODY else owner, ref.person)
            elif not self.circle.ends(ref.person, name):
                self._tell(ref.person, "である", name, name, "")
                self.circle.titles[name] = ref.person
                self._about(ref.person)
            return
        self._tell(owner, name, _value(noun, text), self._words(clause), "は")

    def _is(self, clause: Clause, subject: int, noun: Phrase, text: str) -> None:
        """What somebody is: a name, somebody's kin, of a place, a trade."""
        if subject == NOBODY:
            return
        last = noun.last
        if last.kind == "person":
            self._identify(subject, self.resolve(noun).person)
            return
        if last.kind == "role":
            if len(noun.units) == 1 and ROLE_OF[last.text].link in {"child", "spouse"}:
                self.circle.link(self._owner(last.text, noun.demonstrative, subject), last.text, subject, self.at)
                return
            self._kin_of(subject, noun)
            return
        if last.text in {"生まれ", "産", "出身", "出", "生"} and len(noun.units) > 1:
            body = self.sentence[noun.units[0].start : noun.units[-2].end]
            self._tell(subject, "生まれ" if last.text in {"生まれ", "生"} else "出身", body, text, "")
            return
        if last.text == "人" and len(noun.units) > 1 and noun.rel is None:
            body = self.sentence[noun.units[0].start : noun.units[-2].end]
            self._tell(subject, "出身", body, text, "")
            return
        if noun.rel is not None and last.text in {"人", "人物", "者", "男", "女", "女性", "男性", "一人", "先駆者"}:
            rel, noun.rel = noun.rel, None
            self._verbs(rel, subject)
            return
        if noun.rel is not None:
            rel, noun.rel = noun.rel, None
            self._verbs(rel, subject) if not rel.get("が", "の") else self._made_by(rel, noun)
        self._tell(subject, "である", _value(noun, text), self._words(clause), "")

    def _list_of_children(self, clause: Clause) -> bool:
        """「浜崎弘と由美である。」 after 「二人の子がいた。」; a name alone after somebody unnamed is his or hers."""
        noun = clause.noun
        if (
            noun is None
            or any(a.particle for a in clause.args)
            or clause.topic is not None
            or clause.predicate != "である"
            or self.heading
        ):
            return False
        units = [u for a in clause.args if not a.particle for u in a.phrase.units] + noun.units
        if len(noun.units) == len(units) == 2 and units[0].kind == "noun" and _TITLE_ENDS.search(units[0].text):
            units = units[1:]
        if not all(u.kind == "person" for u in units):
            return False
        if len(units) == 1:
            self.resolve(noun)
            person = self.circle.named(units[0].text)
            if (
                self.fresh != NOBODY
                and not self.circle.name(self.fresh)
                and self.fresh_at >= self.at - 1
                and not self.circle.parents(person)
            ):
                self._name_it(self.fresh, person)
            self._about(person)
            return True
        last = self.slots[-1] if self.slots else None
        if last is None or not last.open or last.at < self.at - 1:
            return False
        for unit in units:
            person = self.circle.named(unit.text)
            last.take(self.circle.sex(person))
            self._children_of(last.parents, person, "子")
        return True

    def _brood(self, clause: Clause) -> bool:
        """「貞蔵とおふじの子は二人」「子は清太郎とはるの二人」: announced, or named at once."""
        topic = clause.topic or next(
            (a for a in clause.args if a.particle == "が" and a.phrase.last.text in _SONS), None
        )
        if topic is None:
            return False
        text = self.sentence[topic.phrase.end : clause.end]
        phrases = [a.phrase for a in clause.args if a is not topic and not a.particle] + (
            [clause.noun] if clause.noun else []
        )
        units = [u for phrase in phrases for u in phrase.units]
        persons = [u for u in units if u.kind == "person"]
        if (
            len(topic.phrase.units) > 1
            and topic.phrase.units[-2].kind == "noun"
            and topic.phrase.units[-2].text not in BOTH | SELF | FIRST | {"ら"}
        ):
            return False
        if not persons and not re.search(rf"{_NUM}(?:人|名|男|女)|ない|なかっ|なく|なし", text):
            return False
        ref = self.resolve(Phrase(topic.phrase.units[:-1])) if len(topic.phrase.units) > 1 else Ref(self.zero())
        parents = (
            self._pair(*ref.couple)
            if ref.couple
            else self._parents_of(ref.person)
            if ref.person != NOBODY
            else self.couple or ()
        )
        if not parents or re.search("ない|なかっ|なく|なし", text):
            return bool(parents)
        self.announce(parents, topic.phrase.last.text + text)
        if self.topic == NOBODY:
            self._about(parents[0])
        if persons and self.slots:
            sexes = self._sexes(text)
            for at, unit in enumerate(persons):
                before = [u for u in units if u.end <= unit.start]
                word = (
                    before[-1].text
                    if before and before[-1].kind == "role"
                    else {"m": "息子", "f": "娘"}.get(sexes[at : at + 1], "子")
                )
                self._children_of(parents, self.circle.named(unit.text), word)
            self.slots.pop()
        return True

    def _born_of(self, clause: Clause) -> None:
        """「長男・忠敬は側室・お幸の方の所生」: the mother first, as the role says nothing of her."""
        noun = clause.noun
        mother = self.resolve(Phrase(noun.units[:-1])).person if noun is not None and len(noun.units) > 1 else NOBODY
        child = clause.topic or clause.get("が")
        named = [u for u in child.phrase.units if u.kind == "person"] if child is not None else []
        if mother == NOBODY or not named:
            return
        person = self.circle.named(named[-1].text)
        word = next((u.text for u in child.phrase.units if u.kind == "role"), "子") if child is not None else "子"
        self.circle.link(mother, word if ROLE_OF[word].link == "child" else "子", person, self.at)
        self._about(person)

    def _kin_of(self, subject: int, noun: Phrase) -> None:
        """「永瀬正勝の次女」「宗山とるいの子」 of somebody."""
        *owners, last = noun.units
        role = last.text
        if owners and owners[-1].kind in {"person", "role"}:
            ref = self.resolve(Phrase(list(owners)))
            if ref.couple and ROLE_OF[role].link == "child":
                self._children_of(self._pair(*ref.couple), subject, role)
            elif ref.person != NOBODY:
                self.circle.link(ref.person, role, subject, self.at)
            self.fresh = self.fresh if self.circle.name(subject) else subject
            return
        if owners and owners[-1].kind == "noun":
            if owners[-1].text in BOTH and self.couple:
                self._children_of(self.couple, subject, role)
            elif owners[-1].text in self.circle.titles:
                self.circle.link(self.circle.titles[owners[-1].text], role, subject, self.at)
            elif (father := self._tradesman(owners[-1], owners)) != NOBODY and ROLE_OF[role].link == "child":
                self.circle.link(father, role, subject, self.at)

    def _identify(self, person: int, other: int) -> None:
        """Two that the text says are one: 「夫人は…千代姫」「これが後の忠英」."""
        if NOBODY in (person, other):
            return
        if self.circle.name(person) and self.circle.name(other):
            return
        self.circle.merge(person, other)
        self._about(self.circle.find(other), main=False)

    def _relative(self, clause: Clause, head: int) -> None:
        """A clause before a person tells of that person; one with a subject of its own, of that one."""
        if clause.predicate in {"生まれる", "できる", "授かる", "もうける"} and (parents := self._between(clause)):
            self._children_of(parents, head, "子")
            return
        subject = clause.get("が", "の")
        if subject is not None and (who := self.resolve(subject.phrase).person) != NOBODY:
            self._verbs(clause, who)
            return
        self._verbs(clause, head)

    def _made_by(self, clause: Clause, phrase: Phrase) -> None:
        """A clause before a thing: 「善右衛門が建てた寺」「父玄斎の眠る光浄寺」."""
        subject = clause.get("が", "の")
        if subject is None:
            return
        self.making = False
        who = self.resolve(subject.phrase).person
        self.making = True
        if who == NOBODY:
            return
        if clause.predicate in BURIES:
            self._bury(who, phrase, clause)
        else:
            self._tell(who, clause.predicate, phrase.last.text, self._words(clause), "を")

    def _of_thing(self, clause: Clause, thing: Ref) -> bool:
        if clause.topic is not None and clause.topic.phrase.last.kind == "quote" and thing.owner != NOBODY:
            self._tell(thing.owner, thing.thing[-1], thing.thing, self.sentence[clause.start : clause.end], "が")
        """A verb whose topic is a thing: a grave that lies somewhere, a name, children who are there, a work."""
        name = thing.thing
        owner = thing.owner if thing.owner != NOBODY else self.zero()
        place = next((a for a in clause.args if a.particle in {"に", "には", "へ"} and not a.time), None)
        if name in _REMAINS:
            place = place or next((a for a in clause.args if a.particle == "と" and not a.phrase.has_kin), None)
            place = next(
                (a for a in clause.args if a.particle in {"に", "には", "へ"} and _PLACE.search(a.phrase.last.text)),
                place,
            )
            if place is not None and clause.predicate not in _MOVED:
                self._bury(owner, place.phrase, clause)
            return True
        if self._children_told(clause, owner):
            return True
        crowd = re.search("(?:者|人|人々|衆|たち|世間|世)$", name) is not None
        if clause.predicate in _NAMES and self._names(
            clause, self.zero() if crowd else owner, None if crowd else thing
        ):
            return True
        subject = clause.get("が")
        if subject is not None and clause.topic is not None and self.resolve(subject.phrase).person != NOBODY:
            return False
        if name in SELF | THIS or clause.topic is None:
            return False
        if name in _ATTRIBUTES or thing.owner != NOBODY:
            for arg in clause.args:
                if (
                    arg is not clause.topic
                    and arg.particle in {"に", "を", "と", "へ", "で", "から", "が"}
                    and not arg.time
                ):
                    self._tell(owner, name, arg.phrase.text(self.sentence), self._words(clause), arg.particle)
        if (
            clause.predicate not in _EXIST
            and len(name) > 1
            and clause.passive
            and thing.owner == NOBODY
            and self.thing
            and name[-1] == self.thing[1][-1]
        ):
            self._tell(self.thing[0], clause.predicate, name, self._words(clause), "を")
        return True

    def _verbs(self, clause: Clause, subject: int) -> None:
        if subject == NOBODY or clause.negated:
            return
        verb = clause.predicate
        if verb in _NAMES and self._names(clause, subject, None):
            return
        if self._children_told(clause, subject):
            return
        married = self._marries(clause, subject)
        for arg in clause.args:
            if arg is not clause.topic and arg.particle in {"と", "に", "を"} and arg.phrase.last.kind == "person":
                self.companion = (self.at, self.resolve(arg.phrase).person)
        if verb in BURIES and self._buried(clause, subject):
            return
        if not married:
            self._adopted(clause, subject)
        self._state(clause, subject)

    def _children_told(self, clause: Clause, subject: int) -> bool:
        """Children who are there, are born, are had: named at once, or announced."""
        verb = clause.predicate
        sibling = next((a for a in clause.args if a.particle == "が" and a.phrase.last.kind == "role"), None)
        if (
            sibling is not None
            and verb in _EXIST
            and ROLE_OF[sibling.phrase.last.text].link in {"elder", "younger", "spouse"}
        ):
            owner = self.zero()
            if self.fresh_at == self.at and self.fresh != NOBODY and not self.circle.name(self.fresh):
                return True
            if owner != NOBODY and len(sibling.phrase.units) == 1:
                self.fresh, self.fresh_at = self.circle.kin(owner, sibling.phrase.last.text, self.at), self.at
                return True
        if re.search("きょうだい|兄弟が|姉妹が", self.sentence[clause.start : clause.end]) and any(
            a.particle == "には" for a in clause.args
        ):
            self.slots = []  # 弟, 妹 that follow are those of whom it tells
            return True
        many = any(
            _ANNOUNCED.search(a.phrase.text(self.sentence))
            or (a.phrase.last.text in _SONS and a.particle in {"が", "は"})
            for a in clause.args
            if a is not clause.topic
        ) and re.search(rf"{_NUM}(?:人|名|子|男)", self.sentence[clause.start : clause.end])
        if verb not in _EXIST | _BEARS and not many:
            return False
        text = self.sentence[clause.start : clause.end]
        between = self._between(clause) if verb != "育てる" else None
        counted = re.search(
            rf"{_NUM}男|{_NUM}女|{_NUM}子|子(?:ども|供)?が|{_NUM}人の(?:息子|娘|子)|兄妹|姉弟|兄弟|姉妹|(?:息子|娘){_NUM}人|{_NUM}人の子|子宝",
            text,
        )
        roles = any(
            u.kind == "role" and ROLE_OF[u.text].link == "child"
            for a in clause.args
            if a is not clause.topic
            for u in a.phrase.units
        )
        persons = any(
            u.kind == "person"
            for a in clause.args
            if a is not clause.topic and a.particle in {"が", "を", ""}
            for u in a.phrase.units
        )
        if verb in {"ある", "いる", "おる", "有る", "居る"} and not counted and not (roles and between):
            return False
        if not counted and not roles and not (persons and (between or verb in _BEARS)):
            return False
        if clause.topic and clause.topic.phrase.last.text in GRAVES:
            return False
        parents = between or self._parents_of(subject)
        if verb in _BEARS and not between and subject != NOBODY:
            parents = self._parents_of(subject)
        parents = tuple(p for p in parents if p != NOBODY)
        if not parents:
            return False
        born = self._listed(clause, parents)
        if len(parents) == 2:
            self.couple = (parents[0], parents[1])
        if born:
            pass
        elif roles and not _counts_many(clause, self.sentence):
            for arg in clause.args:
                if (
                    arg.particle in {"を", "が"}
                    and arg.phrase.last.kind == "role"
                    and ROLE_OF[arg.phrase.last.text].link == "child"
                ):
                    self._children_of(parents, self._unnamed_child(parents, arg.phrase.last.text), arg.phrase.last.text)
        elif counted:
            self.announce(parents, text)
        if born and self.topic == NOBODY:
            self._about(parents[0])
        return True

    def _marries(self, clause: Clause, subject: int) -> bool:
        verb = clause.predicate
        if verb in _MARRIES_INTO or (
            verb in {"行く", "入る", "来る", "出る", "やる"} and any("嫁" in a.phrase.last.text for a in clause.args)
        ):
            arg = next(
                (
                    a
                    for a in clause.args
                    if a.particle in {"に", "へ", "と", "のもとへ"}
                    and a.phrase.has_kin
                    and "嫁" not in a.phrase.last.text
                ),
                None,
            )
            if arg is not None:
                self._wed(subject, self._whom(arg.phrase), "夫")
                return True
            place = next((a for a in clause.args if a.particle in {"に", "へ"} and not a.time), None)
            trade = (
                place is not None
                and _TRADE.search(place.phrase.last.text)
                and len(place.phrase.units) < 4
                and not re.search("(?:家|屋敷)$", place.phrase.last.text)
            )
            if place is not None and trade and not self.circle.spouses(subject):
                husband = self.circle.kin(subject, "夫", self.at)
                text = place.phrase.text(self.sentence)
                self._tell(husband, "である", text, self._words(clause), "")
                self.fresh, self.fresh_at = husband, self.at
                return True
            if place is not None and "嫁" not in place.phrase.last.text:
                self._tell(subject, "嫁ぎ先", place.phrase.text(self.sentence), self._words(clause), "に")
            return True
        thing = clause.get("を")
        if verb in _TAKES and thing is not None:
            role = next(
                (
                    a
                    for a in clause.args
                    if a.phrase.last.kind == "role" and a.particle in {"に", "として", "には", "と"}
                ),
                None,
            )
            if role is not None and ROLE_OF[role.phrase.last.text].link in {"spouse", "raw", "child"}:
                return self._taken_as(subject, role, thing)
            if thing.phrase.has_kin:
                self._wed(subject, self._whom(thing.phrase), "妻")
                return True
        if verb in {"する", "なす", "定める"} and thing is not None:
            role = next(
                (a for a in clause.args if a.phrase.last.kind == "role" and a.particle in {"と", "に", "として"}), None
            )
            if role is not None and thing.phrase.has_kin:
                return self._taken_as(subject, role, thing)
        if verb in {"なる", "入る", "生まれる", "あたる", "当たる"}:
            role = next((a for a in clause.args if a.phrase.last.kind == "role" and a.particle in {"と", "に"}), None)
            if role is not None and len(role.phrase.units) > 1:
                text = role.phrase.text(self.sentence)
                if re.match(rf"{_NUM}男|{_NUM}女|{_NUM}(?:人|児)の子?", text):
                    self.announce(self._parents_of(subject), text)
                else:
                    self._kin_of(subject, role.phrase)
                return True
        together = next((a for a in clause.args if a.particle in {"と", "とは"} and a.phrase.has_kin), None)
        if together is not None and (
            verb in _WEDS
            or (verb == "なる" and any(a.phrase.last.text in {"一緒", "夫婦"} for a in clause.args))
            or (
                verb in {"持つ", "挙げる"}
                and any(a.phrase.last.text in {"所帯", "祝言", "家庭", "結婚式"} for a in clause.args)
            )
        ):
            self._wed(subject, self._whom(together.phrase), "配偶者")
            return True
        if (
            thing is not None
            and thing.phrase.last.text in {"婿", "入り婿", "婿養子", "養子"}
            and verb in {"取る", "とる", "迎える", "むかえる", "もらう", "貰う"}
        ):
            bride = next(
                (
                    self.resolve(a.phrase).person
                    for a in clause.args
                    if a.particle == "に" and a.phrase.last.kind == "person"
                ),
                NOBODY,
            )
            if bride != NOBODY:
                self.circle.is_sex(bride, "f")
                self.fresh, self.fresh_at = self.circle.kin(bride, "夫", self.at), self.at
                return True
        at, companion = self.companion
        if verb in _WEDS and together is None and at == self.at and companion not in (NOBODY, subject):
            self._wed(subject, companion, "配偶者")
            return True
        return False

    def _taken_as(self, subject: int, role: Arg, thing: Arg) -> bool:
        word = role.phrase.last.text
        who = self._whom(thing.phrase)
        owner = self.resolve(Phrase(role.phrase.units[:-1])).person if len(role.phrase.units) > 1 else subject
        if role.particle == "には" or ROLE_OF[word].link != "child" or word in {"養子", "養女"}:
            self.circle.link(owner if owner != NOBODY else subject, word, who, self.at)
        self.fresh = who
        self.couple = (subject, who) if ROLE_OF[word].link == "spouse" and who != NOBODY else self.couple
        return True

    def _whom(self, phrase: Phrase) -> int:
        """The person of a phrase, 「…のもと」 left off; a kin whose name comes later is one to be named."""
        units = phrase.units
        while len(units) > 1 and units[-1].text in {"もと", "許", "ところ", "所", "家", "ほう", "方"}:
            units = units[:-1]
        person = self.resolve(Phrase(units, phrase.rel, phrase.demonstrative)).person
        if person != NOBODY and not self.circle.name(person):
            self.fresh = person
        return person

    def _wed(self, subject: int, other: int, word: str) -> None:
        if NOBODY in (subject, other):
            return
        if word == "夫" and self.circle.told_sex(subject) == "m":
            word = "妻"
        if word == "妻" and self.circle.told_sex(subject) == "f":
            word = "夫"
        if word == "配偶者":
            word = (
                "夫"
                if self.circle.sex(subject) == "f" or self.circle.told_sex(other) == "m"
                else "妻"
                if self.circle.sex(subject) == "m" or self.circle.sex(other) == "f"
                else "配偶者"
            )
        mate = self.circle.persons[self.circle.find(other)]
        mate.about = mate.about or (f"{self.circle.label(subject)}の{word}" if not mate.name else "")
        self.circle.link(subject, word, other, self.at)
        self.couple = (other, subject) if word == "夫" else (subject, other)

    def _adopted(self, clause: Clause, subject: int) -> None:
        """「入門し」「師事し」「門に学び」: a teacher."""
        if clause.predicate in {"入門する", "師事する", "弟子入りする", "学ぶ", "就く", "つく"}:
            for arg in clause.args:
                units = arg.phrase.units
                if units[-1].text in {"門", "下", "もと", "塾", "許"} and len(units) > 1:
                    units = units[:-1]
                if arg.particle in {"に", "で"} and units[-1].kind == "person":
                    self.circle.link(subject, "師", self.circle.named(units[-1].text), self.at)
                    self.circle.link(self.circle.named(units[-1].text), "弟子", subject, self.at)

    def _names(self, clause: Clause, subject: int, thing: Ref | None) -> bool:
        """「妻を勝という」「号を寒松斎という」「「美濃守堀」の名で呼ばれる」."""
        value = next((a for a in clause.args if a.particle in {"と", "とも", "として"} and not a.time), None)
        named = clause.get("を")
        if (
            value is not None
            and named is None
            and thing is None
            and clause.predicate in _OF_ONESELF
            and value.phrase.last.kind != "role"
        ):
            self._tell(
                subject,
                "号" if clause.predicate == "号する" else "別名",
                value.phrase.last.text,
                self._words(clause),
                "と",
            )
            self._also(subject, value.phrase.last.text)
            return True
        if (
            value is None
            and clause.predicate in {"いう", "言う"}
            and clause.args
            and not clause.args[-1].particle
            and clause.args[-1].phrase.last.kind == "person"
        ):
            value = clause.args[-1]
            if (
                named is None
                and subject != NOBODY
                and thing is None
                and (not self.circle.name(subject) or (self.fresh != NOBODY and not self.circle.name(self.fresh)))
            ):
                self._name_it(
                    subject if not self.circle.name(subject) else self.fresh, self.circle.named(value.phrase.last.text)
                )
                return True
        if value is None and named is not None and clause.predicate in {"名のる", "名乗る", "称する", "号する"}:
            self._tell(
                subject, "号" if "号" in clause.predicate else "別名", named.phrase.last.text, self._words(clause), "を"
            )
            return False
        if value is None:
            by = next(
                (
                    a
                    for a in clause.args
                    if a.particle == "で" and a.phrase.last.text in {"名", "名前", "号", "雅号", "筆名", "通称"}
                ),
                None,
            )
            if by is None or len(by.phrase.units) < 2:
                return False
            value = Arg(Phrase(by.phrase.units[:-1]), "と")
        if value.phrase.last.kind == "role" and clause.predicate not in {"呼ぶ"}:
            return False
        name = value.phrase.last.text
        if named is not None and named.phrase.last.text in _OWN_NAME | _PEN_NAMES:
            return self._own_name(clause, subject, named.phrase.last.text, value.phrase)
        if thing is not None and thing.thing in _OWN_NAME | _PEN_NAMES:
            return self._own_name(clause, thing.owner if thing.owner != NOBODY else subject, thing.thing, value.phrase)
        if self._each_named(clause):
            return True
        if named is not None and named.phrase.has_kin and named.phrase.last.kind in {"role", "person"}:
            ref = self.resolve(named.phrase)
            who = ref.person
            if value.phrase.last.kind == "person":
                self._name_it(who, self.circle.named(name))
                if ref.role in ROLE_OF and ROLE_OF[ref.role].link in {"child", "elder", "younger"}:
                    self._about(self.circle.named(name))
            else:
                self._tell(who, "別名", _HONORARY.sub("", name), self._words(clause), "と")
            return True
        if value.phrase.last.kind == "person":
            if thing is not None and _TITLE_ENDS.search(thing.thing):
                person = self.circle.named(name)
                self._tell(person, "である", thing.thing, thing.thing, "")
                self.circle.titles[thing.thing] = person
                self._about(person)
                return True
            if not self.circle.name(subject) or self.circle.name(subject) == "語り手":
                self._name_it(subject, self.circle.named(name))
                return True
            if self.fresh != NOBODY and not self.circle.name(self.fresh):
                self._name_it(self.fresh, self.circle.named(name))
                return True
        if named is None and thing is None and self._is_nickname(name, subject):
            self._tell(subject, "別名", name, self._words(clause), "と")
            return True
        object_ = named.phrase.last.text if named is not None and named.phrase.last.text not in THIS else ""
        if thing is not None and thing.thing and thing.thing not in THIS:
            object_ = thing.thing
        return self._thing_named(clause, object_, name, subject)

    def _is_nickname(self, name: str, subject: int) -> bool:
        own, short = self.circle.name(subject), _HONORARY.sub("", name)
        return bool(own) and bool(short) and (short != name or own.startswith(short) or own.endswith(short))

    def _each_named(self, clause: Clause) -> bool:
        """「兄を源吾、弟を源次といい」."""
        pairs = [
            (arg, clause.args[at + 1])
            for at, arg in enumerate(clause.args[:-1])
            if arg.particle == "を"
            and arg.phrase.last.kind == "role"
            and clause.args[at + 1].phrase.last.kind == "person"
        ]
        if len(pairs) < 2:
            return False
        for role, name in pairs:
            self._name_it(self.resolve(role.phrase).person, self.circle.named(name.phrase.last.text))
        return True

    def _own_name(self, clause: Clause, subject: int, kind: str, value: Phrase) -> bool:
        if kind in _OWN_NAME and value.last.kind == "person":
            who = self.fresh if self.fresh != NOBODY and not self.circle.name(self.fresh) else subject
            if self.circle.name(who):
                self._tell(who, "別名", value.last.text, self._words(clause), "と")
            else:
                self._name_it(who, self.circle.named(value.last.text))
        elif value.last.kind == "person" and not self.circle.name(subject):
            self._name_it(subject, self.circle.named(value.last.text))
        else:
            self._tell(subject, kind, value.last.text, self._words(clause), "と")
            self._also(subject, value.last.text)
        return True

    def _name_it(self, who: int, person: int) -> None:
        if self.narrator != NOBODY and self.circle.find(who) == self.circle.find(self.narrator):
            teller = self.circle.persons[self.circle.find(self.narrator)]
            teller.name = "" if teller.name == "語り手" else teller.name
        self.circle.merge(who, person)
        self._about(self.circle.find(person), main=False)
        self.fresh = NOBODY

    def _thing_named(self, clause: Clause, object_: str, name: str, subject: int) -> bool:
        """A work's name goes with the one who made it: (忠明, 用水路, 美濃守堀)."""
        owner, made = self.thing or (NOBODY, "")
        known = bool(made) and (not object_ or object_ in made or made[-1] == object_[-1] or clause.passive)
        if not known and not object_:
            if clause.predicate in {"号する", "称する", "名のる", "名乗る"} or clause.passive:
                self._tell(subject, "号" if clause.predicate == "号する" else "別名", name, self._words(clause), "と")
                return True
            return False
        if clause.passive and clause.topic is not None and clause.topic.phrase.last.kind == "person":
            self._tell(subject, "別名", name, self._words(clause), "と")
            return True
        who = owner if known else subject
        for noun in dict.fromkeys(n for n in (object_, made if known else "") if n):
            self._tell(who, noun, name, self._words(clause), "と")
        if not known and clause.predicate in {"号する", "称する"}:
            self._tell(subject, "号", name, self._words(clause), "と")
        return True

    # graves

    def _buried(self, clause: Clause, subject: int) -> bool:
        places = [a for a in clause.args if a.particle in {"に", "には", "へ"} and not a.time]
        if not places:
            return False
        place = next((a for a in places if _PLACE.search(a.phrase.last.text)), places[-1])
        self._bury(subject, place.phrase, clause)
        return True

    def _bury(self, owner: int, phrase: Phrase, clause: Clause) -> None:
        """The grave of somebody: a place, or where another one lies (父と同じ寺, 夫のとなり, 同所)."""
        if owner == NOBODY:
            return
        units = list(phrase.units)
        while len(units) > 1 and units[-1].text in {
            "ほう",
            "方",
            "脇",
            "わき",
            "地",
            "一隅",
            "境内",
            "墓地",
            "納骨堂",
            "本堂",
            "裏",
            "となり",
            "隣",
            "そば",
            "傍ら",
        }:
            units = units[:-1]
        with_ = next((a for a in clause.args if a.particle in {"と", "とは"} and a.phrase.has_kin), None)
        last = units[-1]
        same = last.text in {
            "寺",
            "そこ",
            "墓",
            "土",
            "所",
            "同所",
            "同寺",
            "となり",
            "隣",
            "そば",
            "墓地",
            "場所",
            "ところ",
            "こと",
            "地",
        } or last.kind in {"person", "role"}
        place = last.text
        if same:
            kin = self.resolve(with_.phrase).person if with_ is not None else NOBODY
            if kin == NOBODY and len(units) > 1:
                kin = self.resolve(Phrase(units[:-1])).person
            if kin == NOBODY and last.kind in {"person", "role"}:
                kin = self.resolve(Phrase(units)).person
            place = self._grave_of(kin) if kin != NOBODY else self._last_place(last.start) or self.grave
        if phrase.rel is not None and phrase.rel.get("が", "の"):
            self._made_by(phrase.rel, Phrase(units))
        if not _PLACE.search(place) and any(
            t.at == self.at and t.relation == "墓所" and self.circle.find(t.person) == self.circle.find(owner)
            for t in self.told
        ):
            return
        sure = clause.predicate in {"葬る", "埋葬する", "合葬する", "である", "ある"}
        if place and not sure and not _PLACE.search(place) and not any(w.is_proper_noun for w in words(place)):
            return
        if place:
            self.grave = place
            self._tell(owner, "墓所", place, self._words(clause), "に")

    def _last_place(self, before: int) -> str:
        """「自ら建てた蓮華庵で余生を送り、そこに」: the last place of the sentence before it."""
        found = re.findall("[一-龥々ヶ]+(?:寺|院|庵|社|堂)(?=[でにをの、])", self.sentence[:before])
        return str(found[-1]) if found else ""

    def _grave_of(self, person: int) -> str:
        person = self.circle.find(person)
        return next(
            (t.value for t in reversed(self.told) if t.relation == "墓所" and self.circle.find(t.person) == person), ""
        )

    # statements

    def _state(self, clause: Clause, subject: int) -> None:
        """Every argument of a verb as a statement of its own, works by what they are called too."""
        words = self._words(clause)
        for arg in clause.args:
            case = re.sub("(?<=.)(?:は|も|まで|だけ|のみ|さえ|ばかり|まで?も)$", "", arg.particle)
            if arg is clause.topic or arg.time or case not in _CASES | {"も"}:
                continue
            phrase = arg.phrase
            called = phrase.called
            if (
                case == "として"
                and phrase.rel is not None
                and phrase.last.kind == "noun"
                and not phrase.rel.get("が", "の")
            ):
                rel, phrase.rel = phrase.rel, None
                self._verbs(rel, subject)
            if any(unit.kind == "person" for unit in phrase.units) or phrase.rel is not None:
                self.resolve(phrase)
            value = _value(phrase, phrase.text(self.sentence))
            if called is not None and (called.kind != "person" or phrase.last.text in _PEN_NAMES):
                self._tell(subject, phrase.last.text, called.text, words, arg.particle)
                value = called.text
            particle = case.rstrip("も") or "を"
            self._tell(subject, clause.predicate, value, words, particle)
            if phrase.last.kind == "quote" and len(phrase.units) > 1:
                self._tell(subject, phrase.units[-2].text, phrase.last.text, words, particle)
            if phrase.last.kind == "quote" and phrase.demonstrative in {"この", "その"} and self.thing is not None:
                self._tell(self.thing[0], self.thing[1], phrase.last.text, words, particle)
            if particle == "を" and not clause.passive:
                self.thing = (
                    subject,
                    phrase.units[-2].text
                    if phrase.last.kind == "quote" and len(phrase.units) > 1
                    else phrase.last.text,
                )
        exists = clause.get("が")
        title = next((u.text for u in exists.phrase.units if u.kind == "quote"), "") if exists is not None else ""
        if title and clause.predicate in _EXIST:
            where = clause.get("に", "には")
            self._tell(
                subject,
                where.phrase.last.text if where is not None and where.phrase.last.text != "ところ" else "著書",
                title,
                words,
                "が",
            )

    def _tell(self, person: int, relation: str, value: str, words: str, case: str) -> None:
        value = value.strip("「」『』、 ")
        if relation == "別名" and person != NOBODY:
            value = _HONORARY.sub("", value) or value
            self._also(person, value)
        if person != NOBODY and value and relation and len(value) <= LONGEST and value != self.circle.label(person):
            self.told.append(Told(person, relation, value, self.at, words, case))

    def _also(self, person: int, name: str) -> None:
        """A nickname that stood for nobody yet is the one who was called so."""
        own = self.circle.by_name.get(name)
        if name in self.people.canonical and (
            own is None or not any(own in (link.head, link.tail) for link in self.circle.links)
        ):
            self.circle.by_name[name] = person

    def _words(self, clause: Clause) -> str:
        start = min([clause.start, *(a.phrase.start for a in clause.args if a is not clause.topic)])
        if any(arg.phrase.rel for arg in clause.args):
            start = min([start, *(a.phrase.rel.start for a in clause.args if a.phrase.rel and a is not clause.topic)])
        end = max([clause.end, *(a.phrase.end for a in clause.args if a is not clause.topic)])
        return re.sub(r"[（(][^（）()]*[）)]", "", self.sentence[start:end])


def _counts_many(clause: Clause, sentence: str) -> bool:
    texts = [arg.phrase.text(sentence) for arg in clause.args if arg is not clause.topic and not arg.time]
    return any(
        re.search("[二三四五六七八九2-9２-９数](?:人|名|男|女|子|児)|兄妹|姉弟|兄弟|姉妹", text) for text in texts
    )


def _has_child_role(phrase: Phrase) -> bool:
    return any(unit.kind == "role" and ROLE_OF[unit.text].link == "child" for unit in phrase.units)


def _value(phrase: Phrase, text: str) -> str:
    """A phrase as a value: a work by its title, else as it stands, brackets left out."""
    if phrase.last.kind == "quote":
        return phrase.last.text
    quotes = [u for u in phrase.units if u.kind == "quote"]
    if quotes and phrase.last.text in {"職", "役", "位", "任", "名", "称", "号", "題", "地位"}:
        return quotes[-1].text
    if quotes and phrase.last.link == "=":
        return quotes[-1].text
    return re.sub(r"[（(][^（）()]*[）)]|[「」『』]", "", text)


def _number(text: str) -> int:
    text = text.translate(str.maketrans("０１２３４５６７８９", "0123456789"))
    if text.isdigit():
        return int(text)
    return min(12, sum(_DIGITS.get(c, 0) for c in text)) if text else 0


def _narrator(sentences: Sequence[str], story: Story) -> int:
    """Who tells the story, where somebody does (私); the name is how the first words of a dialogue call her."""
    told = [s for s in sentences if not re.match("[「『]", s)]
    titled = next(
        (
            m
            for s in sentences[:4]
            if (
                m := re.search(
                    "([一-龥々ぁ-んァ-ヴー]{2,8}?)(?:さん|翁|氏|刀自)?の(?:語り|聞き書き|聞書|談話|談|回想|口述|手記|思い出話)",
                    s,
                )
            )
        ),
        None,
    )
    if titled:
        own = next(
            (n for n in sorted(story.people.canonical, key=len, reverse=True) if titled[1].endswith(n)), titled[1]
        )
        if (
            sum(bool(re.search("(?:私|わたし|僕|ぼく|俺|うち|わし|おれ|あたし)(?:は|が|も|の|ら)", s)) for s in told)
            >= 2
        ):
            return story.circle.named(story.people.canonical.get(own, own))
    if sum(bool(re.search("(?:私|わたし|僕|ぼく|俺|わし)[はがもの]", s)) for s in told) < 2:
        return NOBODY
    calls = (re.match("「([一-龥ぁ-んァ-ヴー]{1,5}?)(?:、|や|よ|ちゃん|さん)", s) for s in sentences)
    name = next(
        (
            m[1]
            for m in calls
            if m and m[1] in story.people.canonical and not any(f"{m[1]}は" in s or f"{m[1]}が" in s for s in told)
        ),
        "",
    )
    person = story.circle.named(name or "語り手")
    if name:
        story.told.append(Told(person, "である", "語り手", 0))
    return person


def read_story(sentences: Sequence[str], people: People) -> Story:
    """A text's sentences read in order."""
    story = Story(people)
    story.narrator = _narrator(sentences, story)
    for sentence in sentences:
        story.read(sentence)
    return story
